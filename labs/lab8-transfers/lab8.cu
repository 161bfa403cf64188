/* lab8.cu - kernels and transfers: the file you edit. The handout is handouts/lab8-transfers.md.
 * lab8.h says what every entry point computes, and work.h has the arithmetic of one element. Each chain begins with a given
 * stage. Every size from 1 on is legal.
 *     make lab8 && build/lab8 fused && ./grade lab8 */
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

/* ---- stage 2: one kernel ---- */

/* TODO 1 (handout section 2): write one kernel that does what the five kernels of stage 1 do, and launch it.
 *   in:   a and b
 *   out:  out, as stage 1 leaves it
 *   goal: one launch; bytes read from DRAM per byte of input = 1 (stage 1: 3) */
void run_fused(float *out, const float *a, const float *b, int count)
{
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

/* ---- stage 4: the device resets them ---- */

/* TODO 2 (handout section 3): set the counters to 0 without an array of the host, then launch count_keys.
 *   in:   keys; counts holds arbitrary values
 *   out:  counts, as stage 3 leaves it
 *   goal: no byte is copied between host and device (stage 3: 4 for each counter) */
void run_reset(int *counts, const int *keys, int count, int bins)
{
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

/* ---- stage 6: the serial rest stays on the GPU ---- */

/* TODO 3 (handout section 4): launch shape, a kernel of your own that computes the levels, and lift.
 *   in:   x, as shape leaves it
 *   out:  levels[k] = next_level(levels[k - 1], x[k * SEGMENT]) for segments_of(count) segments; the level before the first is 0
 *   goal: no byte is copied between host and device, and host_rest() is not called. A single thread gives right results and a
 *         quarter of the points; the step is a block that loads what this thread needs: 18 times as fast as stage 5. */
void run_leftover(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
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

/* ---- stage 8: pinned memory ---- */

/* TODO 4 (handout section 5): do what stage 7 does, but pin both host arrays: cudaHostRegister() with cudaHostRegisterDefault
 * before the copies, cudaHostUnregister() after them. (Both take a void *: cast host_in.)
 *   in, out: as in stage 7
 *   goal: 2.9 times as fast as stage 7 */
void run_pinned(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
}

/* ---- stage 9: chunks over streams ---- */

/* TODO 5 (handout section 6): cut the arrays into chunks, with pinned host arrays as in stage 8. For each chunk: copy in, launch
 * encrypt, copy out, all in one stream; use different streams for neighbouring chunks. Wait for all streams at the end.
 *   in, out: as in stage 7; count may be smaller than the number of chunks, or not a multiple of it
 *   goal: 6.4 times as fast as stage 7; each byte crosses the bus once. Two chunks are enough to overlap, but not for this speed */
void run_streams(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count, unsigned modulus)
{
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

/* ---- stage 11: a round, captured once ---- */

/* TODO 6 (handout section 7): capture one round in a stream of your own, and make an executable graph of it. Then, in the same
 * stream, copy `in` to out, and launch the graph once for each round.
 *   in, out: as in stage 10
 *   goal: at most 70 calls for 50 rounds (stage 10: 501) */
void run_graph(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds)
{
}
