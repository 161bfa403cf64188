/* baseline.cu - the kit's own first step of each task: what speedups are measured against, and what is right where the CPU
 * would take too long. It is never the student's: a slower baseline would be an easy speedup. */
#include "lab10.h"

#include "lab/check.h"

LAB_ENTRIES(scan_fn, baseline_hillis_steele);
LAB_ENTRIES(histogram_fn, baseline_global);
LAB_ENTRIES(compact_fn, baseline_flags);
LAB_ENTRIES(spmv_fn, baseline_thread);
LAB_ENTRIES(softmax_fn, baseline_three_passes);

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* =========================================================================================== scan */

constexpr int SEGMENT = 1024; /* elements of a block */

/* Round by round each element adds what lies 1, 2, 4, ... places before it. Two buffers: nobody writes what others still read. */
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

/* One block turns the sums of all segments into their prefix sums; what came before is carried from round to round. */
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

void baseline_hillis_steele(int *out, const int *in, int n, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    hillis_steele<<<blocks, SEGMENT>>>(out, in, scratch, n);
    scan_sums<<<1, SEGMENT>>>(scratch, blocks);
    add_sums<<<blocks, SEGMENT>>>(out, scratch, n);
    CHECK_LAUNCH();
}

/* =========================================================================================== histogram */

constexpr int BINS = 256, COUNTERS = 256; /* values of a byte, threads of a block that counts */

__global__ void count_global(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * COUNTERS + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i]], 1);
}

void baseline_global(unsigned *counts, const unsigned char *in, int n)
{
    CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    count_global<<<blocks_for(n, COUNTERS), COUNTERS>>>(counts, in, n);
    CHECK_LAUNCH();
}

/* =========================================================================================== compaction */

__global__ void set_flags(int *flags, const int *in, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n)
        flags[i] = in[i] < limit;
}

/* places: how many are kept up to each element. */
__global__ void move_kept(int *out, int *count, const int *in, const int *places, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && in[i] < limit)
        out[places[i] - 1] = in[i];
    if (i == n - 1)
        *count = places[i];
}

void baseline_flags(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT), *places = scratch, *sums = scratch + n;
    set_flags<<<blocks, SEGMENT>>>(places, in, n, limit);
    hillis_steele<<<blocks, SEGMENT>>>(places, places, sums, n);
    scan_sums<<<1, SEGMENT>>>(sums, blocks);
    add_sums<<<blocks, SEGMENT>>>(places, sums, n);
    move_kept<<<blocks, SEGMENT>>>(out, count, in, places, n, limit);
    CHECK_LAUNCH();
}

/* =========================================================================================== sparse rows */

constexpr int ROW_THREADS = 256;

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

void baseline_thread(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    thread_per_row<<<blocks_for(rows, ROW_THREADS), ROW_THREADS>>>(y, starts, columns, values, x, rows);
    CHECK_LAUNCH();
}

/* =========================================================================================== softmax */

constexpr int SOFTMAX_THREADS = 256; /* threads of a block */

struct larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct added {
    __device__ float operator()(float a, float b) const { return a + b; }
};

/* By a tree in shared memory; all threads get the result. */
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

/* The largest element is subtracted first: exp() of what is left is at most 1. */
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

void baseline_three_passes(float *out, const float *in, int width, int rows)
{
    three_passes<<<rows, SOFTMAX_THREADS>>>(out, in, width);
    CHECK_LAUNCH();
}
