/* launches.cu - what it costs to ask: launches one by one and as a graph, small copies, memory set and copied by the
 * runtime and by kernels, and blocks that do nothing.
 * A step is all that happens between two events. */
#include "steps.h"

#include <cstring>

enum { BLOCK = 256 };

static int n;
static struct steps_array in, out;

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 31);
    out = steps_output(n);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

static void copied_reference(float *expected)
{
    memcpy(expected, in.host, n * sizeof(float));
}

/* ------------------------------------------------------------------------------------------- twenty kernels */

enum { TURNS = 20 };

static cudaStream_t own_stream;
static cudaEvent_t before, after;
static cudaGraphExec_t graph;

__host__ __device__ static float turned(float x)
{
    return x * 0.75f + 0.125f;
}

__global__ void turn_once(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = turned(in[i]);
}

__global__ void turn_often(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    for (int k = 0; k < TURNS; k++)
        x = turned(x);
    out[i] = x;
}

static void turns_in(cudaStream_t stream)
{
    for (int k = 0; k < TURNS; k++)
        turn_once<<<steps_blocks(n, BLOCK), BLOCK, 0, stream>>>(out.device, k ? out.device : in.device, n);
}

static void launch_turns(void)
{
    turns_in(0);
}

static void launch_turns_in_stream(void)
{
    STEPS_CHECK(cudaEventRecord(before));
    STEPS_CHECK(cudaStreamWaitEvent(own_stream, before));
    turns_in(own_stream);
    STEPS_CHECK(cudaEventRecord(after, own_stream));
    STEPS_CHECK(cudaStreamWaitEvent(0, after));
}

static void launch_turns_as_graph(void)
{
    STEPS_CHECK(cudaGraphLaunch(graph, 0));
}

static void launch_turns_fused(void)
{
    turn_often<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void prepare_turns(int size)
{
    cudaGraph_t captured;
    prepare(size);
    STEPS_CHECK(cudaStreamCreateWithFlags(&own_stream, cudaStreamNonBlocking));
    STEPS_CHECK(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
    STEPS_CHECK(cudaEventCreateWithFlags(&after, cudaEventDisableTiming));
    STEPS_CHECK(cudaStreamBeginCapture(own_stream, cudaStreamCaptureModeGlobal));
    turns_in(own_stream);
    STEPS_CHECK(cudaStreamEndCapture(own_stream, &captured));
    STEPS_CHECK(cudaGraphInstantiateWithFlags(&graph, captured, 0));
    STEPS_CHECK(cudaGraphDestroy(captured));
}

static void finish_turns(void)
{
    finish();
    STEPS_CHECK(cudaGraphExecDestroy(graph));
    STEPS_CHECK(cudaEventDestroy(before));
    STEPS_CHECK(cudaEventDestroy(after));
    STEPS_CHECK(cudaStreamDestroy(own_stream));
}

static void turns_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        expected[i] = in.host[i];
        for (int k = 0; k < TURNS; k++)
            expected[i] = turned(expected[i]);
    }
}

static const struct step turns_steps[] = {{"plain", launch_turns},
                                          {"stream", launch_turns_in_stream},
                                          {"graph", launch_turns_as_graph},
                                          {"fused", launch_turns_fused}};
/* Sixteen blocks: only launching takes time. Then enough to keep all SMs busy for some microseconds. */
const struct step_family launches_small_family = {
    "launches_small", turns_steps, STEPS_COUNT(turns_steps), 16 * BLOCK, 1001, 1e-6, prepare_turns,
    finish_turns, &out, turns_reference};
const struct step_family launches_family = {
    "launches", turns_steps, STEPS_COUNT(turns_steps), 1 << 22, 1001, 1e-6, prepare_turns, finish_turns,
    &out, turns_reference};

/* ------------------------------------------------------------------------------------------- small copies */

static float *pageable, *pinned;
static bool is_timed;

/* What came to the host goes back, to be verified: not while the way out is timed. */
static void copy_out(float *host)
{
    STEPS_CHECK(cudaMemcpy(host, in.device, n * sizeof(float), cudaMemcpyDeviceToHost));
    if (!is_timed)
        STEPS_CHECK(cudaMemcpy(out.device, host, n * sizeof(float), cudaMemcpyHostToDevice));
}

static void copy_in(const float *host)
{
    STEPS_CHECK(cudaMemcpy(out.device, host, n * sizeof(float), cudaMemcpyHostToDevice));
}

static void launch_pageable_in(void)
{
    copy_in(pageable);
}

static void launch_pinned_in(void)
{
    copy_in(pinned);
}

static void launch_pageable_out(void)
{
    copy_out(pageable);
}

static void launch_pinned_out(void)
{
    copy_out(pinned);
}

static void prepare_copies(int size)
{
    prepare(size);
    pageable = (float *)malloc(n * sizeof(float));
    if (!pageable)
        exit(2);
    STEPS_CHECK(cudaMallocHost((void **)&pinned, n * sizeof(float)));
    memcpy(pageable, in.host, n * sizeof(float));
    memcpy(pinned, in.host, n * sizeof(float));
}

static void finish_copies(void)
{
    finish();
    free(pageable);
    STEPS_CHECK(cudaFreeHost(pinned));
}

static const struct step copies_steps[] = {{"pageable_in", launch_pageable_in},
                                           {"pinned_in", launch_pinned_in},
                                           {"pageable_out", launch_pageable_out},
                                           {"pinned_out", launch_pinned_out}};

template <int TIMED> static void prepare_copies_of(int size)
{
    is_timed = size == TIMED;
    prepare_copies(size);
}

#define COPIES(name, timed, odd)                                                                             \
    {name, copies_steps, STEPS_COUNT(copies_steps), timed, odd, 0, prepare_copies_of<timed>,                 \
     finish_copies, &out, copied_reference}
const struct step_family copy_word_family = COPIES("copy_word", 1, 3);
const struct step_family copy_4kb_family = COPIES("copy_4kb", 1 << 10, 1001);
const struct step_family copy_64kb_family = COPIES("copy_64kb", 1 << 14, 10007);

/* --------------------------------------------------------------------------------------- memory set to zero */

__global__ void zero_words(float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 0;
}

__global__ void zero_vectors(float4 *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = make_float4(0, 0, 0, 0);
}

static void launch_memset(void)
{
    STEPS_CHECK(cudaMemset(out.device, 0, n * sizeof(float)));
}

static void launch_memset_async(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, n * sizeof(float)));
}

static void launch_zero_words(void)
{
    zero_words<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, n);
}

static void launch_zero_vectors(void)
{
    zero_vectors<<<steps_blocks(n / 4, BLOCK), BLOCK>>>((float4 *)out.device, n / 4);
}

static void zeros_reference(float *expected)
{
    memset(expected, 0, n * sizeof(float));
}

static const struct step memset_word_steps[] = {
    {"memset", launch_memset}, {"memset_async", launch_memset_async}, {"kernel", launch_zero_words}};
const struct step_family memset_word_family = {
    "memset_word", memset_word_steps, STEPS_COUNT(memset_word_steps), 1, 3, 0, prepare, finish, &out,
    zeros_reference};

static const struct step memset_steps[] = {{"memset", launch_memset},
                                           {"memset_async", launch_memset_async},
                                           {"kernel", launch_zero_words},
                                           {"vectors", launch_zero_vectors, 4}};
const struct step_family memset_family = {
    "memset_64mb", memset_steps, STEPS_COUNT(memset_steps), 1 << 24, 10007, 0, prepare, finish, &out,
    zeros_reference};

/* ----------------------------------------------------------------------------------------- copies on the device */

__global__ void copy_words(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void copy_vectors(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

static void launch_memcpy_async(void)
{
    STEPS_CHECK(cudaMemcpyAsync(out.device, in.device, n * sizeof(float), cudaMemcpyDeviceToDevice));
}

static void launch_copy_words(void)
{
    copy_words<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_copy_vectors(void)
{
    copy_vectors<<<steps_blocks(n / 4, BLOCK), BLOCK>>>((float4 *)out.device, (const float4 *)in.device,
                                                        n / 4);
}

static const struct step device_copy_steps[] = {
    {"memcpy", launch_memcpy_async}, {"kernel", launch_copy_words}, {"vectors", launch_copy_vectors, 4}};
const struct step_family device_copy_family = {
    "device_copy_64mb", device_copy_steps, STEPS_COUNT(device_copy_steps), 1 << 24, 10007, 0, prepare,
    finish, &out, copied_reference};

/* ------------------------------------------------------------------------------------------- empty blocks */

enum { MANY_BLOCKS = 16384 };

__global__ void do_nothing(void)
{
}

static void launch_one_block(void)
{
    zero_words<<<1, BLOCK>>>(out.device, n);
}

template <int BLOCKS, int THREADS> static void launch_nothing(void)
{
    do_nothing<<<BLOCKS, THREADS>>>();
}

static const struct step empty_steps[] = {
    {"one_block", launch_one_block},
    {"empty", launch_nothing<1, 32>, -1},
    {"blocks_of_32", launch_nothing<MANY_BLOCKS, 32>, -1},
    {"blocks_of_256", launch_nothing<MANY_BLOCKS, 256>, -1},
    {"blocks_of_1024", launch_nothing<MANY_BLOCKS, 1024>, -1},
};
const struct step_family empty_family = {
    "empty", empty_steps, STEPS_COUNT(empty_steps), BLOCK, 101, 0, prepare, finish, &out, zeros_reference};
