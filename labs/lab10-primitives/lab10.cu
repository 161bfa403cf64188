/* lab10.cu - what real code needs next: the file you edit. The handout is handouts/lab10-primitives.md.
 * Five tasks: scan, histogram, compaction, sparse rows, softmax. Each begins with a given version; lab10.h says what the
 * entry points get and what they compute. All sizes from 1 up are legal.
 *     make lab10 && build/lab10 blelloch && ./grade lab10 */
#include "lab10.h"

#include "lab/check.h"

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* =========================================================================================== scan */

/* ---- stage 1, given: each block scans a segment, one block scans the segments' sums, a third kernel adds them ---- */

constexpr int SEGMENT = 1024; /* elements of a block */

/* Hillis and Steele: in each round an element adds the one 1, 2, 4, ... places before it. Two buffers: see handout section 1. */
__global__ void hillis_steele(int *out, const int *in, int *sums, int n)
{
    __shared__ int x[2][SEGMENT];
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t, now = 0;
    x[0][t] = i < n ? in[i] : 0;
    for (int step = 1; step < SEGMENT; step *= 2, now ^= 1) {
        __syncthreads();
        x[now ^ 1][t] = x[now][t] + (t >= step ? x[now][t - step] : 0);
    }
    if (i < n)
        out[i] = x[now][t];
    if (t == SEGMENT - 1)
        sums[blockIdx.x] = x[now][t];
}

/* One block turns the sums of all segments into their prefix sums; `before` carries the sum from round to round. */
__global__ void scan_sums(int *sums, int n)
{
    __shared__ int x[2][SEGMENT];
    int t = threadIdx.x, before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int i = base + t, now = 0;
        x[0][t] = i < n ? sums[i] : 0;
        for (int step = 1; step < SEGMENT; step *= 2, now ^= 1) {
            __syncthreads();
            x[now ^ 1][t] = x[now][t] + (t >= step ? x[now][t - step] : 0);
        }
        if (i < n)
            sums[i] = before + x[now][t];
        __syncthreads();
        before += x[now][SEGMENT - 1];
        __syncthreads();
    }
}

__global__ void add_sums(int *out, const int *sums, int n)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        out[i] += sums[blockIdx.x - 1];
}

void scan_hillis_steele(int *out, const int *in, int n, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    hillis_steele<<<blocks, SEGMENT>>>(out, in, scratch, n);
    scan_sums<<<1, SEGMENT>>>(scratch, blocks);
    add_sums<<<blocks, SEGMENT>>>(out, scratch, n);
    CHECK_LAUNCH();
}

/* ---- stage 2: up and down a tree ---- */

/* TODO 1 (handout section 2): the prefix sums of a segment by Blelloch's tree, with two elements per thread: for example t and
 * t + SEGMENT / 2.
 *   in:   blocks of SEGMENT / 2 threads, one block per segment; elements beyond n count as 0
 *   out:  out[i] as hillis_steele writes it, and the segment's sum in sums[blockIdx.x]
 *   goal: shared load wavefronts per 128 bytes of input at most 9 (stage 1: 19); bank conflicts must be gone, too */
__global__ void blelloch(int *out, const int *in, int *sums, int n)
{
}

void scan_blelloch(int *out, const int *in, int n, int *scratch)
{
    /* TODO 1: launch blelloch, with SEGMENT / 2 threads per block; then scan_sums and add_sums as stage 1 does, with SEGMENT
     * threads per block. */
}

/* ---- stage 3: shuffles, four elements per thread ---- */

/* TODO 2 (handout section 3): each thread adds up four neighbours, each warp scans the sums of its lanes with shuffles, and the
 * block joins its warps. Write a kernel for the segments, and one in place of add_sums with an int4 per thread: the given add_sums
 * is too slow for the points for speed. The given scan_sums is fast enough for all points.
 *   goal: barriers per sector of input at most 0.8 (stage 2: 2.6), and 1.6 times as fast as stage 1 */
void scan_shuffles(int *out, const int *in, int n, int *scratch)
{
}

/* ---- stage 4: a single pass, tiles in a chain ---- */

/* TODO 3 (handout section 4): one kernel. A block draws the number of its tile from a counter, adds up its tile, waits for the word
 * of the tile directly before it, publishes in its own word the sum of all up to itself, and writes its results.
 *   in:   scratch for the counter and a word of 64 bits per tile, which holds a sum and a flag; clear both first, with
 *         cudaMemsetAsync
 *   goal: each sector of `in` loaded once, each sector of `out` stored once (stage 3: twice); at least 64 tiles drawn */
void scan_chained(int *out, const int *in, int n, int *scratch)
{
}

/* ---- stage 5: look back ---- */

/* TODO 4 (handout section 5): as stage 4, but a block publishes the sum of its own tile before it waits for anything. Then a warp
 * looks back, over the words of 32 tiles at a time, as far as it must; it publishes the sum of all up to its tile in the same word.
 *   goal: at least 3.5 sectors loaded beside the input per tile drawn (stage 4: 2), and 1.5 stored beside the output (stage 4:
 *         1), by loads and stores, not by atomics; `in` and `out` as in stage 4 */
void scan_look_back(int *out, const int *in, int n, int *scratch)
{
}

/* =========================================================================================== histogram */

constexpr int BINS = 256, COUNTERS = 256; /* number of values of a byte; threads of a block that counts */

/* ---- stage 6, given: an atomic in global memory for each byte ---- */

__global__ void count_global(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * COUNTERS + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i]], 1);
}

void histogram_global(unsigned *counts, const unsigned char *in, int n)
{
    CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    count_global<<<blocks_for(n, COUNTERS), COUNTERS>>>(counts, in, n);
    CHECK_LAUNCH();
}

/* ---- stage 7: a copy of the bins in each block's shared memory ---- */

/* TODO 5 (handout section 6): a block counts in shared memory, and adds its bins to counts once, at its end. This pays
 * only if a block counts many bytes: launch few blocks, and let each thread walk through the input.
 *   goal: at most 131072 atomic requests to global memory (stage 6: a million), and 60 times as fast */
void histogram_shared(unsigned *counts, const unsigned char *in, int n)
{
}

/* ---- stage 8: a copy for each warp, sixteen bytes per load ---- */

/* TODO 6 (handout section 7): as stage 7, but each warp of the block has its own bins, and a thread loads 16 bytes at once,
 * as a uint4.
 *   goal: at least 3 copies added up for each bin, and 200 times as fast as stage 6 */
void histogram_per_warp(unsigned *counts, const unsigned char *in, int n)
{
}

/* =========================================================================================== compaction */

/* ---- stage 9, given: flags, their prefix sums, and a third pass that moves the elements ---- */

__global__ void set_flags(int *flags, const int *in, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n)
        flags[i] = in[i] < limit;
}

/* places[i]: how many elements are kept up to and with element i. */
__global__ void move_kept(int *out, int *count, const int *in, const int *places, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && in[i] < limit)
        out[places[i] - 1] = in[i];
    if (i == n - 1)
        *count = places[i];
}

void compact_flags(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT), *places = scratch, *sums = scratch + n;
    set_flags<<<blocks, SEGMENT>>>(places, in, n, limit);
    hillis_steele<<<blocks, SEGMENT>>>(places, places, sums, n);
    scan_sums<<<1, SEGMENT>>>(sums, blocks);
    add_sums<<<blocks, SEGMENT>>>(places, sums, n);
    move_kept<<<blocks, SEGMENT>>>(out, count, in, places, n, limit);
    CHECK_LAUNCH();
}

/* ---- stage 10: the flags stay in registers ---- */

/* TODO 7 (handout section 8): no array of flags, no array of places. One kernel counts how many elements each segment keeps;
 * the counts are scanned; another kernel reads the elements again, moves those that are kept, and sets *count.
 *   goal: sectors loaded per sector of input at most 2.75 (stage 9: 5.2), sectors stored per sector of output at most 2.5
 *         (stage 9: 3.7), and 1.8 times as fast as stage 9 */
void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
}

/* =========================================================================================== sparse rows */

constexpr int ROW_THREADS = 256;

/* ---- stage 11, given: a thread per row ---- */

__global__ void thread_per_row(float *y, const int *starts, const int *columns, const float *values,
                               const float *x, int rows)
{
    int row = blockIdx.x * ROW_THREADS + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

void spmv_thread(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    thread_per_row<<<blocks_for(rows, ROW_THREADS), ROW_THREADS>>>(y, starts, columns, values, x, rows);
    CHECK_LAUNCH();
}

/* ---- stage 12: a warp per row ---- */

/* TODO 8 (handout section 9): the lanes of a warp share a row, and add up their sums with shuffles. Rows may be empty.
 *   goal: at most 700 lanes without work per 32 elements (stage 11: 1720), and 1.35 times as fast as stage 11 */
void spmv_warp(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
}

/* =========================================================================================== softmax */

constexpr int SOFTMAX_THREADS = 256; /* threads of a block */

/* ---- stage 13, given: a block per row, three passes over it ---- */

struct larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct added {
    __device__ float operator()(float a, float b) const { return a + b; }
};

/* A reduction by a tree in shared memory; all threads get the result. */
template <class OP> __device__ float over_block(float x, OP op)
{
    __shared__ float part[SOFTMAX_THREADS];
    int t = threadIdx.x;
    __syncthreads();
    part[t] = x;
    for (int half = SOFTMAX_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] = op(part[t], part[t + half]);
    }
    __syncthreads();
    return part[0];
}

/* Subtracts the largest element first, so exp() is at most 1. */
__global__ void three_passes(float *out, const float *in, int width)
{
    in += (size_t)blockIdx.x * width;
    out += (size_t)blockIdx.x * width;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        most = fmaxf(most, in[i]);
    most = over_block(most, larger());
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        sum += expf(in[i] - most);
    sum = over_block(sum, added());
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        out[i] = expf(in[i] - most) / sum;
}

void softmax_three_passes(float *out, const float *in, int width, int rows)
{
    three_passes<<<rows, SOFTMAX_THREADS>>>(out, in, width);
    CHECK_LAUNCH();
}

/* ---- stage 14: maximum and sum in one pass ---- */

/* TODO 9 (handout section 10): a thread keeps the largest element so far and the sum that belongs to it. When a larger element
 * comes, multiply the sum so far by exp(old largest - new largest).
 *   goal: sectors loaded per sector of input = 2 (stage 13: 3) */
void softmax_online(float *out, const float *in, int width, int rows)
{
}

/* ---- stage 15: a warp per row, float4, the row in registers ---- */

/* TODO 10 (handout section 11): a warp keeps its row in registers, as float4, and loads it once. Rows whose width is not a
 * multiple of 4, and rows of more than 256 elements, may use another kernel.
 *   goal: sectors loaded per sector of input = 1 (stage 14: 2), and 2.4 times as fast as stage 13 */
void softmax_registers(float *out, const float *in, int width, int rows)
{
}
