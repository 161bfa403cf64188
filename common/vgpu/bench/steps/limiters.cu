/* limiters.cu - what limits a kernel: occupancy, registers, parallelism within a thread, divergence, barriers, and
 * which half of a kernel is the bottleneck. One family per limiter; within it, all steps compute the same.
 * Sizes are beyond L2 where memory is meant to matter, and small where it is not. */
#include "steps.h"

static int n;
static struct steps_array in, out;

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 3);
    out = steps_output(n);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* ------------------------------------------------------------------------------------------- block size */

__global__ void scale_add(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.5f * in[i] + 1.0f;
}

template <int BLOCK> static void launch_block_size(void)
{
    scale_add<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void scale_add_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = 2.5f * in.host[i] + 1.0f;
}

static const struct step block_size_steps[] = {
    {"block32", launch_block_size<32>},   {"block64", launch_block_size<64>},
    {"block128", launch_block_size<128>}, {"block256", launch_block_size<256>},
    {"block512", launch_block_size<512>}, {"block1024", launch_block_size<1024>},
};
const struct step_family block_size_family = {
    "block_size", block_size_steps, STEPS_COUNT(block_size_steps), 1 << 25, 10007, 1e-5, prepare, finish,
    &out,         scale_add_reference};

/* ------------------------------------------------------------------------------------------- registers */

enum { TERMS = 40, ROUNDS = 16, REGISTERS_BLOCK = 256 };

/* TERMS sums per thread, all alive: as many registers as it is given, and local memory for the rest. */
template <int BLOCKS_PER_SM>
__global__ void __launch_bounds__(REGISTERS_BLOCK, BLOCKS_PER_SM) power_sums(float *out, const float *in, int n)
{
    int i = blockIdx.x * REGISTERS_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum[TERMS] = {}, total = 0;
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        int from = i + round * REGISTERS_BLOCK;
        float x = in[from < n ? from : i], power = 1;
#pragma unroll
        for (int t = 0; t < TERMS; t++) {
            power *= x;
            sum[t] = sum[t] * 0.5f + power;
        }
    }
#pragma unroll
    for (int t = 0; t < TERMS; t++)
        total += sum[t] * (1.0f / (t + 1));
    out[i] = total;
}

template <int BLOCKS_PER_SM> static void launch_registers(void)
{
    power_sums<BLOCKS_PER_SM><<<steps_blocks(n, REGISTERS_BLOCK), REGISTERS_BLOCK>>>(out.device, in.device, n);
}

static void power_sums_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum[TERMS] = {}, total = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int from = i + round * REGISTERS_BLOCK;
            double x = in.host[from < n ? from : i], power = 1;
            for (int t = 0; t < TERMS; t++) {
                power *= x;
                sum[t] = sum[t] * 0.5 + power;
            }
        }
        for (int t = 0; t < TERMS; t++)
            total += sum[t] / (t + 1);
        expected[i] = (float)total;
    }
}

static const struct step registers_steps[] = {
    {"blocks1", launch_registers<1>}, {"blocks2", launch_registers<2>}, {"blocks4", launch_registers<4>},
    {"blocks6", launch_registers<6>}, {"blocks8", launch_registers<8>},
};
const struct step_family registers_family = {
    "registers", registers_steps, STEPS_COUNT(registers_steps), 1 << 21, 5003, 1e-3, prepare, finish,
    &out,        power_sums_reference};

/* -------------------------------------------------------------------------------- parallelism in a thread */

enum { FMAS = 1 << 15, PARALLEL_BLOCK = 128 };

/* The same number of multiplications and additions, in CHAINS chains that do not wait for each other. */
template <int CHAINS> __global__ void chains(float *out, const float *in, int n)
{
    int i = blockIdx.x * PARALLEL_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x[CHAINS], sum = 0;
    const float factor = in[i] * 0.25f;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = factor;
#pragma unroll 4
    for (int k = 0; k < FMAS / CHAINS; k++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * factor + 0.5f;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = sum * (1.0f / CHAINS);
}

template <int CHAINS> static void launch_chains(void)
{
    chains<CHAINS><<<steps_blocks(n, PARALLEL_BLOCK), PARALLEL_BLOCK>>>(out.device, in.device, n);
}

/* All chains come to rest at the same point. */
static void chains_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)(0.5 / (1.0 - in.host[i] * 0.25));
}

static const struct step ilp_steps[] = {
    {"chains1", launch_chains<1>},
    {"chains2", launch_chains<2>},
    {"chains4", launch_chains<4>},
    {"chains8", launch_chains<8>},
};
/* One block per SM of an H200: a warp per scheduler. */
const struct step_family ilp_family = {
    "ilp", ilp_steps, STEPS_COUNT(ilp_steps), 132 * PARALLEL_BLOCK, 1001, 1e-5, prepare, finish, &out,
    chains_reference};

enum { STREAM_THREADS = 132 * 512, STREAM_BLOCK = 256 };

/* Few threads walk a long array; each asks for LOADS elements before it waits for the first. */
template <int LOADS> __global__ void stream_sums(float *out, const float *in, int n)
{
    int threads = gridDim.x * STREAM_BLOCK, thread = blockIdx.x * STREAM_BLOCK + threadIdx.x, i = thread;
    float sum = 0;
#pragma unroll 1
    for (; i + (LOADS - 1) * threads < n; i += LOADS * threads) {
        float x[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            x[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += x[k];
    }
    for (; i < n; i += threads)
        sum += in[i];
    out[thread] = sum;
}

template <int LOADS> static void launch_stream(void)
{
    stream_sums<LOADS><<<STREAM_THREADS / STREAM_BLOCK, STREAM_BLOCK>>>(out.device, in.device, n);
}

static void prepare_stream(int size)
{
    n = size;
    in = steps_input(n, 3);
    out = steps_output(STREAM_THREADS);
}

static void stream_reference(float *expected)
{
    for (int thread = 0; thread < STREAM_THREADS; thread++) {
        double sum = 0;
        for (int i = thread; i < n; i += STREAM_THREADS)
            sum += in.host[i];
        expected[thread] = (float)sum;
    }
}

static const struct step mlp_steps[] = {
    {"loads1", launch_stream<1>},
    {"loads2", launch_stream<2>},
    {"loads4", launch_stream<4>},
    {"loads8", launch_stream<8>},
};
const struct step_family mlp_family = {
    "mlp", mlp_steps, STEPS_COUNT(mlp_steps), 1 << 26, 1000003, 1e-4, prepare_stream, finish, &out, stream_reference};

/* ------------------------------------------------------------------------------------------- divergence */

enum { KINDS = 4, TURNS = 64, DIVERGENCE_BLOCK = 256 };

/* Four ways of about the same length. */
__host__ __device__ static float treat(int kind, float x)
{
    if (kind == 0)
        for (int i = 0; i < TURNS; i++)
            x = x * 0.75f + 0.125f;
    else if (kind == 1)
        for (int i = 0; i < TURNS; i++)
            x = x - x * x * 0.25f;
    else if (kind == 2)
        for (int i = 0; i < TURNS; i++)
            x = (x > 0.5f ? x - 0.5f : x + 0.25f) * 0.875f;
    else
        for (int i = 0; i < TURNS; i++)
            x = (x + 1.0f) * (0.25f - x * 0.125f);
    return x;
}

/* Neighbours are of different kinds: every warp goes all four ways. */
__global__ void kinds_as_they_come(float *out, const float *in, int n)
{
    int i = blockIdx.x * DIVERGENCE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(i % KINDS, in[i]);
}

/* Which thread has which element is known beforehand: the warps of a block share the kinds. */
__global__ void kinds_reordered(float *out, const float *in, int n)
{
    int share = DIVERGENCE_BLOCK / KINDS, kind = threadIdx.x / share;
    int i = blockIdx.x * DIVERGENCE_BLOCK + threadIdx.x % share * KINDS + kind;
    if (i < n)
        out[i] = treat(kind, in[i]);
}

static void launch_as_they_come(void)
{
    kinds_as_they_come<<<steps_blocks(n, DIVERGENCE_BLOCK), DIVERGENCE_BLOCK>>>(out.device, in.device, n);
}

static void launch_reordered(void)
{
    kinds_reordered<<<steps_blocks(n, DIVERGENCE_BLOCK), DIVERGENCE_BLOCK>>>(out.device, in.device, n);
}

static void divergence_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = treat(i % KINDS, in.host[i]);
}

static const struct step divergence_steps[] = {{"unsorted", launch_as_they_come}, {"reordered", launch_reordered}};
const struct step_family divergence_family = {
    "divergence", divergence_steps, STEPS_COUNT(divergence_steps), 1 << 22, 5003, 1e-4, prepare, finish, &out,
    divergence_reference};

/* ---- the kind is data: a table says which thread does what ---- */

static int *kinds, *table;
static int *host_kinds;

__global__ void kinds_from_data(float *out, const float *in, const int *kinds, int n)
{
    int i = blockIdx.x * DIVERGENCE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(kinds[i], in[i]);
}

__global__ void kinds_by_table(float *out, const float *in, const int *kinds, const int *table, int n)
{
    int t = blockIdx.x * DIVERGENCE_BLOCK + threadIdx.x;
    if (t < n) {
        int i = table[t];
        out[i] = treat(kinds[i], in[i]);
    }
}

/* Every block makes its own table, in shared memory: the elements of a kind come one after another. */
__global__ void kinds_by_block_table(float *out, const float *in, const int *kinds, int n)
{
    __shared__ int count[KINDS], place[DIVERGENCE_BLOCK];
    int t = threadIdx.x, i = blockIdx.x * DIVERGENCE_BLOCK + t, kind = i < n ? kinds[i] : 0, rank = 0, start = 0;
    if (t < KINDS)
        count[t] = 0;
    place[t] = -1;
    __syncthreads();
    if (i < n)
        rank = atomicAdd(&count[kind], 1);
    __syncthreads();
    for (int k = 0; k < kind; k++)
        start += count[k];
    if (i < n)
        place[start + rank] = i | kind << 28;
    __syncthreads();
    if (place[t] >= 0) {
        i = place[t] & 0xfffffff;
        out[i] = treat(place[t] >> 28, in[i]);
    }
}

static void launch_from_data(void)
{
    kinds_from_data<<<steps_blocks(n, DIVERGENCE_BLOCK), DIVERGENCE_BLOCK>>>(out.device, in.device, kinds, n);
}

static void launch_by_table(void)
{
    kinds_by_table<<<steps_blocks(n, DIVERGENCE_BLOCK), DIVERGENCE_BLOCK>>>(out.device, in.device, kinds, table, n);
}

static void launch_by_block_table(void)
{
    kinds_by_block_table<<<steps_blocks(n, DIVERGENCE_BLOCK), DIVERGENCE_BLOCK>>>(out.device, in.device, kinds, n);
}

static int *upload_ints(const int *from)
{
    int *device;
    STEPS_CHECK(cudaMalloc((void **)&device, n * sizeof(int)));
    STEPS_CHECK(cudaMemcpy(device, from, n * sizeof(int), cudaMemcpyHostToDevice));
    return device;
}

static void prepare_table(int size)
{
    prepare(size);
    int *order = (int *)malloc(n * sizeof(int)), filled = 0;
    host_kinds = (int *)malloc(n * sizeof(int));
    if (!order || !host_kinds)
        exit(2);
    for (int i = 0; i < n; i++)
        host_kinds[i] = (int)(steps_value(i, 4) * KINDS);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < n; i++)
            if (host_kinds[i] == kind)
                order[filled++] = i;
    kinds = upload_ints(host_kinds);
    table = upload_ints(order);
    free(order);
}

static void finish_table(void)
{
    finish();
    STEPS_CHECK(cudaFree(kinds));
    STEPS_CHECK(cudaFree(table));
    free(host_kinds);
}

static void table_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = treat(host_kinds[i], in.host[i]);
}

static const struct step table_steps[] = {
    {"unsorted", launch_from_data}, {"table", launch_by_table}, {"block_table", launch_by_block_table}};
const struct step_family table_family = {
    "table", table_steps, STEPS_COUNT(table_steps), 1 << 22, 5003, 1e-4, prepare_table, finish_table, &out,
    table_reference};

/* ------------------------------------------------------------------------------------------- barriers */

enum { SEGMENT = 32, SMOOTHINGS = 64, LARGE = 1024, SMALL = 128 };

__host__ __device__ static float smooth(float left, float x, float right)
{
    return 0.25f * left + 0.5f * x + 0.25f * right;
}

__device__ static int left_of(int t)
{
    return t / SEGMENT * SEGMENT + (t + SEGMENT - 1) % SEGMENT;
}

__device__ static int right_of(int t)
{
    return t / SEGMENT * SEGMENT + (t + 1) % SEGMENT;
}

/* Rings of SEGMENT elements are smoothed; a barrier before each read and one before each write. */
__global__ void smooth_two_barriers(float *out, const float *in)
{
    __shared__ float x[LARGE];
    int t = threadIdx.x, i = blockIdx.x * LARGE + t;
    x[t] = in[i];
    for (int k = 0; k < SMOOTHINGS; k++) {
        __syncthreads();
        float next = smooth(x[left_of(t)], x[t], x[right_of(t)]);
        __syncthreads();
        x[t] = next;
    }
    out[i] = x[t];
}

/* Two buffers: one barrier is enough. */
template <int BLOCK> __global__ void smooth_one_barrier(float *out, const float *in)
{
    __shared__ float x[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    x[0][t] = in[i];
    for (int k = 0; k < SMOOTHINGS; k++) {
        const float *now = x[k % 2];
        __syncthreads();
        x[(k + 1) % 2][t] = smooth(now[left_of(t)], now[t], now[right_of(t)]);
    }
    out[i] = x[SMOOTHINGS % 2][t];
}

/* A ring lies in one warp: only its lanes have to wait for each other. */
__global__ void smooth_by_warp(float *out, const float *in)
{
    __shared__ float x[2][SMALL];
    int t = threadIdx.x, i = blockIdx.x * SMALL + t;
    x[0][t] = in[i];
    for (int k = 0; k < SMOOTHINGS; k++) {
        const float *now = x[k % 2];
        __syncwarp();
        x[(k + 1) % 2][t] = smooth(now[left_of(t)], now[t], now[right_of(t)]);
    }
    out[i] = x[SMOOTHINGS % 2][t];
}

__global__ void smooth_by_shuffle(float *out, const float *in)
{
    int t = threadIdx.x, i = blockIdx.x * SMALL + t;
    float x = in[i];
    for (int k = 0; k < SMOOTHINGS; k++)
        x = smooth(__shfl_sync(~0u, x, t + SEGMENT - 1), x, __shfl_sync(~0u, x, t + 1));
    out[i] = x;
}

static void launch_two_barriers(void)
{
    smooth_two_barriers<<<n / LARGE, LARGE>>>(out.device, in.device);
}

static void launch_one_barrier(void)
{
    smooth_one_barrier<LARGE><<<n / LARGE, LARGE>>>(out.device, in.device);
}

static void launch_small_blocks(void)
{
    smooth_one_barrier<SMALL><<<n / SMALL, SMALL>>>(out.device, in.device);
}

static void launch_by_warp(void)
{
    smooth_by_warp<<<n / SMALL, SMALL>>>(out.device, in.device);
}

static void launch_by_shuffle(void)
{
    smooth_by_shuffle<<<n / SMALL, SMALL>>>(out.device, in.device);
}

static void barriers_reference(float *expected)
{
    for (int base = 0; base < n; base += SEGMENT) {
        float x[2][SEGMENT];
        for (int t = 0; t < SEGMENT; t++)
            x[0][t] = in.host[base + t];
        for (int k = 0; k < SMOOTHINGS; k++)
            for (int t = 0; t < SEGMENT; t++) {
                const float *now = x[k % 2];
                x[(k + 1) % 2][t] = smooth(now[(t + SEGMENT - 1) % SEGMENT], now[t], now[(t + 1) % SEGMENT]);
            }
        for (int t = 0; t < SEGMENT; t++)
            expected[base + t] = x[SMOOTHINGS % 2][t];
    }
}

static const struct step barriers_steps[] = {
    {"two_barriers", launch_two_barriers, LARGE}, {"one_barrier", launch_one_barrier, LARGE},
    {"small_blocks", launch_small_blocks, LARGE}, {"by_warp", launch_by_warp, LARGE},
    {"by_shuffle", launch_by_shuffle, LARGE},
};
const struct step_family barriers_family = {
    "barriers", barriers_steps, STEPS_COUNT(barriers_steps), 1 << 22, 3000, 1e-5, prepare, finish, &out,
    barriers_reference};

/* -------------------------------------------------------------------------------------- which half is it? */

enum { DEGREE = 96, ROOFLINE_BLOCK = 256 };

__host__ __device__ static float polynomial(float x)
{
    float value = 1;
    for (int k = 0; k < DEGREE; k++)
        value = value * x + 0.5f;
    return value;
}

__global__ void both_halves(float *out, const float *in, int n)
{
    int i = blockIdx.x * ROOFLINE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = polynomial(in[i] * 0.5f);
}

__global__ void memory_only(float *out, const float *in, int n)
{
    int i = blockIdx.x * ROOFLINE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

/* All arithmetic is done, and never stored: nvcc cannot know that no value is negative. */
__global__ void compute_only(float *out, float seed, int n)
{
    int i = blockIdx.x * ROOFLINE_BLOCK + threadIdx.x;
    float value = polynomial(seed + i * 1e-9f);
    if (i < n && value < 0)
        out[i] = value;
}

static void launch_both(void)
{
    both_halves<<<steps_blocks(n, ROOFLINE_BLOCK), ROOFLINE_BLOCK>>>(out.device, in.device, n);
}

static void launch_memory_only(void)
{
    memory_only<<<steps_blocks(n, ROOFLINE_BLOCK), ROOFLINE_BLOCK>>>(out.device, in.device, n);
}

static void launch_compute_only(void)
{
    compute_only<<<steps_blocks(n, ROOFLINE_BLOCK), ROOFLINE_BLOCK>>>(out.device, 0.25f, n);
}

static void roofline_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = polynomial(in.host[i] * 0.5f);
}

static const struct step roofline_steps[] = {
    {"both", launch_both}, {"memory_only", launch_memory_only, -1}, {"compute_only", launch_compute_only, -1}};
const struct step_family roofline_family = {
    "roofline", roofline_steps, STEPS_COUNT(roofline_steps), 1 << 25, 5003, 1e-5, prepare, finish, &out,
    roofline_reference};
