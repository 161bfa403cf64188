/* lab8.cu - kernels and transfers, solved. The handout is handouts/lab8-transfers.md.
 * lab8.h says what every entry point computes, and work.h has the arithmetic of one element. Each chain begins with a given
 * stage. Every size from 1 on is legal.
 *     make lab8 LAB_SOURCES=solutions && build/lab8 */
#include "lab8.h"

#include <vector>

#include "lab/check.h"
#include "work.h"

constexpr int BLOCK = 256; /* threads of a block */

static int blocks_for(int count)
{
    return (count - 1) / BLOCK + 1;
}

/* ---- stage 1, given: five kernels, one after the other ---- */

__global__ void scale(float *out, const float *a, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = 1.5f * a[i];
}

__global__ void add(float *out, const float *b, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] += b[i];
}

__global__ void square(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] *= out[i];
}

__global__ void shift(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] += 0.25f;
}

__global__ void root(float *out, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = sqrtf(out[i]);
}

void run_pieces(float *out, const float *a, const float *b, int count)
{
    int blocks = blocks_for(count);
    scale<<<blocks, BLOCK>>>(out, a, count);
    add<<<blocks, BLOCK>>>(out, b, count);
    square<<<blocks, BLOCK>>>(out, count);
    shift<<<blocks, BLOCK>>>(out, count);
    root<<<blocks, BLOCK>>>(out, count);
    CHECK_LAUNCH();
}

/* ---- stage 2: one kernel ----
 * What the five kernels handed on through memory stays in a register: 3 transfers per element are left of 11. */

__global__ void all_five(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    float sum = 1.5f * a[i] + b[i];
    out[i] = sqrtf(sum * sum + 0.25f);
}

void run_fused(float *out, const float *a, const float *b, int count)
{
    all_five<<<blocks_for(count), BLOCK>>>(out, a, b, count);
    CHECK_LAUNCH();
}

/* ---- stage 3, given: the host resets the counters ---- */

__global__ void count_keys(int *counts, const int *keys, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        atomicAdd(&counts[keys[i]], 1);
}

void run_host_reset(int *counts, const int *keys, int count, int bins)
{
    std::vector<int> zeros(bins);
    CHECK(cudaMemcpy(counts, zeros.data(), bins * sizeof(int), cudaMemcpyHostToDevice));
    count_keys<<<blocks_for(count), BLOCK>>>(counts, keys, count);
    CHECK_LAUNCH();
}

/* ---- stage 4: the device resets them ----
 * The order is that of the stream: the kernel begins when the zeros are there. Nothing crosses the bus, and the host does not
 * wait. */

void run_reset(int *counts, const int *keys, int count, int bins)
{
    CHECK(cudaMemsetAsync(counts, 0, bins * sizeof(int)));
    count_keys<<<blocks_for(count), BLOCK>>>(counts, keys, count);
    CHECK_LAUNCH();
}

/* ---- stage 5, given: the host computes the serial rest ---- */

__global__ void shape(float *x, const float *in, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        x[i] = shaped(in[i]);
}

__global__ void lift(float *out, const float *x, const float *levels, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = x[i] + levels[i / SEGMENT];
}

void run_host_rest(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
    shape<<<blocks_for(count), BLOCK>>>(x, in, count);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host_x, x, count * sizeof(float), cudaMemcpyDeviceToHost));
    host_rest(host_levels, host_x, count);
    CHECK(cudaMemcpy(levels, host_levels, segments_of(count) * sizeof(float), cudaMemcpyHostToDevice));
    lift<<<blocks_for(count), BLOCK>>>(out, x, levels, count);
    CHECK_LAUNCH();
}

/* ---- stage 6: the serial rest stays on the GPU ----
 * The recurrence is one thread's, and everything else is not: the block loads the first elements of 1024 segments at once, so
 * that their latencies overlap, and stores 1024 levels at once. Between the two, thread 0 works in shared memory. It loads some
 * elements into registers before it needs them: a load does not wait for the level, but the compiler seldom moves it before a
 * store to the same array. */

constexpr int TILE = 1024; /* segments that are in shared memory at a time, and threads of the block */
constexpr int AHEAD = 16;  /* elements that thread 0 loads at once */
static_assert(TILE % AHEAD == 0, "");

__global__ void find_levels(float *__restrict__ levels, const float *__restrict__ x, int segments)
{
    __shared__ float tile[TILE];
    float level = 0; /* of thread 0 */

    for (int begin = 0; begin < segments; begin += TILE) {
        int k = begin + threadIdx.x;
        tile[threadIdx.x] = k < segments ? x[(size_t)k * SEGMENT] : 0;
        __syncthreads();
        for (int j = 0; threadIdx.x == 0 && j < min(TILE, segments - begin); j += AHEAD) {
            float first[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                first[a] = tile[j + a];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                tile[j + a] = level = next_level(level, first[a]);
        }
        __syncthreads();
        if (k < segments)
            levels[k] = tile[threadIdx.x];
    }
}

void run_leftover(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
    shape<<<blocks_for(count), BLOCK>>>(x, in, count);
    find_levels<<<1, TILE>>>(levels, x, segments_of(count));
    lift<<<blocks_for(count), BLOCK>>>(out, x, levels, count);
    CHECK_LAUNCH();
}

/* ---- stage 7, given: pageable memory, one operation after the other ---- */

__global__ void encrypt(unsigned *out, const unsigned *in, int count, unsigned modulus)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        out[i] = encrypted(in[i], modulus);
}

void run_pageable(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    CHECK(cudaMemcpy(in, host_in, count * sizeof(unsigned), cudaMemcpyHostToDevice));
    encrypt<<<blocks_for(count), BLOCK>>>(out, in, count, modulus);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host_out, out, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
}

/* ---- stage 8: pinned memory ----
 * The copy engine reads and writes host memory itself. It needs physical addresses that do not change: that is what registering
 * gives. Without it the driver copies everything a second time, through a pinned buffer of its own. */

static void pin(const unsigned *host, int count)
{
    CHECK(cudaHostRegister((void *)host, count * sizeof(unsigned), cudaHostRegisterDefault));
}

static void unpin(const unsigned *host)
{
    CHECK(cudaHostUnregister((void *)host));
}

void run_pinned(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    pin(host_in, count);
    pin(host_out, count);
    CHECK(cudaMemcpy(in, host_in, count * sizeof(unsigned), cudaMemcpyHostToDevice));
    encrypt<<<blocks_for(count), BLOCK>>>(out, in, count, modulus);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host_out, out, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unpin(host_in);
    unpin(host_out);
}

/* ---- stage 9: chunks over streams ----
 * A chunk's three parts follow each other, because they are in one stream. Chunks in different streams do not wait for each
 * other, so three of them are under way at a time: one comes in, one is computed, one goes out. What does not overlap is the
 * first chunk's way in and the last one's way out: more chunks make these shorter, until the cost of each chunk shows. */

constexpr int CHUNKS = 16;
constexpr int STREAMS = 4; /* at least three chunks are under way at once */

void run_streams(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
    int most = (count - 1) / CHUNKS + 1; /* elements of a chunk; the last ones may be shorter, or empty */
    cudaStream_t streams[STREAMS];

    pin(host_in, count);
    pin(host_out, count);
    for (int s = 0; s < STREAMS; s++)
        CHECK(cudaStreamCreate(&streams[s]));

    for (int chunk = 0; chunk * most < count; chunk++) {
        cudaStream_t stream = streams[chunk % STREAMS];
        int begin = chunk * most, length = min(most, count - begin);
        CHECK(cudaMemcpyAsync(in + begin, host_in + begin, length * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
        encrypt<<<blocks_for(length), BLOCK, 0, stream>>>(out + begin, in + begin, length, modulus);
        CHECK_LAUNCH();
        CHECK(cudaMemcpyAsync(host_out + begin, out + begin, length * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
    }

    /* Only now is host_out complete. */
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamSynchronize(streams[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    unpin(host_in);
    unpin(host_out);
}

/* ---- stage 10, given: the host launches every kernel ---- */

/* A kernel needs what all blocks of the previous kernel have written, so a round has LEVELS kernels, not one. */
__global__ void mix(unsigned *to, const unsigned *from, int distance, int count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        to[i] = mixed(from[max(i - distance, 0)], from[i], from[min(i + distance, count - 1)]);
}

/* From out to other and back, LEVELS / 2 times. */
static void launch_round(unsigned *out, unsigned *other, int count, cudaStream_t stream)
{
    static_assert(LEVELS % 2 == 0, "a round ends in out");
    for (int level = 0; level < LEVELS; level += 2) {
        mix<<<blocks_for(count), BLOCK, 0, stream>>>(other, out, 1 << level, count);
        mix<<<blocks_for(count), BLOCK, 0, stream>>>(out, other, 2 << level, count);
    }
    CHECK_LAUNCH();
}

void run_launches(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds)
{
    CHECK(cudaMemcpyAsync(out, in, count * sizeof(unsigned), cudaMemcpyDeviceToDevice));
    for (int round = 0; round < rounds; round++)
        launch_round(out, other, count, 0);
}

/* ---- stage 11: a round, captured once ----
 * While a stream captures, launches are recorded and nothing runs. The copy at the beginning is not part of a round: it comes
 * before the graph, in the same stream, so that the first round waits for it. */

void run_graph(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t round_exec;

    CHECK(cudaStreamCreate(&stream)); /* the default stream cannot be captured */
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_round(out, other, count, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&round_exec, graph, 0));

    CHECK(cudaMemcpyAsync(out, in, count * sizeof(unsigned), cudaMemcpyDeviceToDevice, stream));
    for (int round = 0; round < rounds; round++)
        CHECK(cudaGraphLaunch(round_exec, stream));

    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(round_exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}
