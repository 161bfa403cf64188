/* lab1.cu - pi from random points, in five steps: solved.
 * Every stage counts the same kind of points and has an exact right answer; what changes is how hits are summed, where
 * generators live, and which generator it is. Comments say why, not what. */
#include <curand_kernel.h>

#include "lab/check.h"
#include "lab1.h"

/* ------------------------------------------------------------------------------------------- given, for all stages */

/* The fused multiply-add is written out, so that every compiler counts a point on the rim the same way. */
__device__ bool is_inside(double x, double y)
{
    return fma(x, x, y * y) <= 1;
}

__device__ bool is_inside(float x, float y)
{
    return fmaf(x, x, y * y) <= 1;
}

/* Draws the next point of a thread's sequence, x first, both in [-1, 1]. */
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return is_inside(x, y);
}

__device__ unsigned thread_id(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ------------------------------------------------------------------------------------------- per_hit: given */

__global__ void count_per_hit(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state))
            atomicAdd(inside, 1ull);
}

void pi_per_hit(unsigned long long *inside, void *states, int blocks, int threads, int points,
                unsigned long long seed)
{
    (void)states;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_per_hit<<<blocks, threads>>>(inside, points, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- per_thread */

__device__ unsigned long long counter;

/* Blocks of one grid run in any order, so none of them can do this for the others: it takes a kernel of its own. */
__global__ void reset_counter(void)
{
    counter = 0;
}

/* 32 bits are enough for one thread's hits, and cheaper; the sum of all threads needs 64. */
__device__ unsigned count_hits(curandState *state, int points)
{
    unsigned hits = 0;
    for (int i = 0; i < points; i++)
        hits += hit(state);
    return hits;
}

__global__ void count_per_thread(int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    atomicAdd(&counter, (unsigned long long)count_hits(&state, points));
}

void pi_per_thread(unsigned long long *inside, void *states, int blocks, int threads, int points,
                   unsigned long long seed)
{
    (void)states;
    reset_counter<<<1, 1>>>();
    CHECK_LAUNCH();
    count_per_thread<<<blocks, threads>>>(points, seed);
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbolAsync(inside, counter, sizeof counter, 0, cudaMemcpyDeviceToDevice));
}

/* ------------------------------------------------------------------------------------------- per_block */

enum { MAX_THREADS = 1024 };

/* Halves the number of values in each round. An odd one in the middle waits for the next round, so that any block size
 * works. The barrier stands outside the branch: all threads must reach it. */
__device__ unsigned long long block_sum(unsigned long long value)
{
    __shared__ unsigned long long part[MAX_THREADS];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned n = blockDim.x; n > 1; n = (n + 1) / 2) {
        if (threadIdx.x < n / 2)
            part[threadIdx.x] += part[threadIdx.x + (n + 1) / 2];
        __syncthreads();
    }
    return part[0];
}

__device__ void add_block_sum(unsigned long long *inside, unsigned long long value)
{
    unsigned long long sum = block_sum(value);
    if (threadIdx.x == 0)
        atomicAdd(inside, sum);
}

__global__ void count_per_block(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    add_block_sum(inside, count_hits(&state, points));
}

void pi_per_block(unsigned long long *inside, void *states, int blocks, int threads, int points,
                  unsigned long long seed)
{
    (void)states;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_per_block<<<blocks, threads>>>(inside, points, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- saved */

__global__ void init_states(curandState *states, unsigned long long seed)
{
    curand_init(seed, thread_id(), 0, &states[thread_id()]);
}

/* The loop works on a local copy, which stays in registers; through the pointer, every draw would go to memory. */
__global__ void count_batch(unsigned long long *inside, curandState *states, int points)
{
    curandState state = states[thread_id()];
    unsigned hits = count_hits(&state, points);
    states[thread_id()] = state;
    add_block_sum(inside, hits);
}

void pi_saved(unsigned long long *inside, void *states, int blocks, int threads, int points,
              unsigned long long seed)
{
    curandState *state = (curandState *)states;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    init_states<<<blocks, threads>>>(state, seed);
    CHECK_LAUNCH();
    for (int batch = 0; batch < 2; batch++) {
        count_batch<<<blocks, threads>>>(inside, state, points / 2);
        CHECK_LAUNCH();
    }
}

/* ------------------------------------------------------------------------------------------- fast */

enum { FAST_THREADS = 256 };

/* What curand_uniform4 does to each word: (0, 1], never 0. */
__device__ float to_unit(unsigned word)
{
    return fmaf((float)word, 0x1p-32f, 0x1p-33f);
}

/* Block number `pair` of Philox's output. Its state is nothing but this number, so there is none to keep. */
__device__ float4 draw_pair(unsigned low, unsigned high, uint2 key)
{
    uint4 word = curand_Philox4x32_10(make_uint4(low, high, 0, 0), key);
    return make_float4(to_unit(word.x), to_unit(word.y), to_unit(word.z), to_unit(word.w));
}

/* Pairs with the same upper half: all but the lowest word of the counter stay as they are in the loop, so that the
 * compiler works out the ten round keys and most of the first two rounds before it. */
__device__ unsigned count_pairs(unsigned low, unsigned high, unsigned pairs, uint2 key)
{
    unsigned hits = 0;
#pragma unroll 4
    for (unsigned i = 0; i < pairs; i++) {
        float4 u = draw_pair(low + i, high, key);
        hits += is_inside(u.x, u.y);
        hits += is_inside(u.z, u.w);
    }
    return hits;
}

/* Cuts a range at multiples of 2^30, so that the upper half of the number is constant and 32 bits hold the hits. */
__device__ unsigned long long count_range(unsigned long long first, unsigned long long last, uint2 key)
{
    unsigned long long hits = 0;
    while (first < last) {
        unsigned long long stop = min(last, (first | 0x3fffffff) + 1);
        hits += count_pairs((unsigned)first, (unsigned)(first >> 32), (unsigned)(stop - first), key);
        first = stop;
    }
    return hits;
}

__global__ void __launch_bounds__(FAST_THREADS)
count_fast(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
    uint2 key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    unsigned long long pairs = total / 2, workers = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long share = (pairs + workers - 1) / workers; /* rounded up: the last workers get less or nothing */
    unsigned long long first = min(pairs, thread_id() * share);
    unsigned long long hits = count_range(first, min(pairs, first + share), key);
    if (total % 2 == 1 && thread_id() == 0) {
        float4 u = draw_pair((unsigned)pairs, (unsigned)(pairs >> 32), key);
        hits += is_inside(u.x, u.y);
    }
    add_block_sum(inside, hits);
}

/* As many blocks as the device holds at a time: all of them start at once and end together. Fewer if there is not a pair
 * for each thread. */
static int fitting_grid(unsigned long long total)
{
    int device, processors, blocks;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_fast, FAST_THREADS, 0));
    unsigned long long full = (unsigned long long)processors * blocks, needed = total / 2 / FAST_THREADS + 1;
    return (int)(needed < full ? needed : full);
}

void pi_fast(unsigned long long *inside, void *states, int blocks, int threads, int points,
             unsigned long long seed)
{
    (void)states;
    unsigned long long total = (unsigned long long)blocks * threads * points;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_fast<<<fitting_grid(total), FAST_THREADS>>>(inside, total, seed);
    CHECK_LAUNCH();
}
