/* baseline.cu - the kit's own kernels of lab 7: the given ones, which speedups are measured against.
 * None of it is the student's. */
#include "lab7.h"

#include "work.h"

LAB_ENTRIES(spaces_fn, baseline_global, baseline_wrong_constant, baseline_zoom, baseline_local, baseline_spilling,
            baseline_random, baseline_sorted, baseline_large_table);

enum { BLOCK = 256 }; /* threads per block */

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* ---- coefficients in global memory ---- */

__global__ void filter_global(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

void baseline_global(struct task task)
{
    filter_global<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
}

/* ---- a table in constant memory, an index per lane ---- */

__constant__ float constant_entries[ENTRIES];

__global__ void look_up_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int entry = first_entry(in[i], ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = constant_entries[entry];
        sum += value;
        entry = next_entry(entry, value, ENTRIES);
    }
    out[i] = sum;
}

void baseline_wrong_constant(struct task task)
{
    cudaMemcpyToSymbol(constant_entries, task.table, sizeof constant_entries, 0, cudaMemcpyDeviceToDevice);
    look_up_constant<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
}

/* ---- a picture in global memory ---- */

enum { SIDE_X = 32, SIDE_Y = 8 }; /* threads of a block */

static dim3 picture_grid(struct task task)
{
    int rows = blocks_for(task.m, SIDE_Y);
    return dim3(blocks_for(task.n, SIDE_X), rows < 65535 ? rows : 65535);
}

__device__ static float pixel(const float *in, int pitch, int column, int row, int width, int height)
{
    return in[(size_t)clamp_to(row, height) * pitch + clamp_to(column, width)];
}

/* The value between four pixels. Rows beyond those of the grid come in further turns. */
__global__ void zoom_global(float *out, const float *in, int pitch, int n, int m)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, width = source_size(n), height = source_size(m);
    for (int y = blockIdx.y * SIDE_Y + threadIdx.y; x < n && y < m; y += gridDim.y * SIDE_Y) {
        float left = source_of(x) - 0.5f, top = source_of(y) - 0.5f;
        int column = (int)floorf(left), row = (int)floorf(top);
        float upper = mix(pixel(in, pitch, column, row, width, height), pixel(in, pitch, column + 1, row, width, height),
                          left - column);
        float lower = mix(pixel(in, pitch, column, row + 1, width, height),
                          pixel(in, pitch, column + 1, row + 1, width, height), left - column);
        out[(size_t)y * n + x] = mix(upper, lower, top - row);
    }
}

void baseline_zoom(struct task task)
{
    zoom_global<<<picture_grid(task), dim3(SIDE_X, SIDE_Y)>>>(task.out, task.in, task.pitch, task.n, task.m);
}

/* ---- an array in local memory ---- */

/* Which bin a value belongs to is known only at run time: the array lies in local memory. */
__global__ void bins_local(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float bins[BINS] = {}, most = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[(size_t)k * n + i];
        bins[bin_of(value)] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b]);
    out[i] = most;
}

void baseline_local(struct task task)
{
    bins_local<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
}

/* ---- more blocks than registers ---- */

/* Sums and differences of COUNT values, over and over. */
template <int COUNT> __device__ static void transform(float *x)
{
#pragma unroll
    for (int half = 1; half < COUNT; half *= 2)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (!(i & half)) {
                float sum = x[i] + x[i + half];
                x[i + half] = x[i] - x[i + half];
                x[i] = sum;
            }
}

/* 64 values in the registers of a thread; BLOCKS_PER_SM decides how many it may have. */
template <int BLOCKS_PER_SM>
__global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM) transform_whole(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float x[POINTS];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        x[k] = in[(size_t)k * n + i];
    transform<POINTS>(x);
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        out[(size_t)k * n + i] = x[k];
}

void baseline_spilling(struct task task)
{
    transform_whole<8><<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
}

/* ---- indices in the order of the list ---- */

__global__ void gather(float *out, const float *table, const int *list, int n, int m)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = table[index_of(list[i], m)];
}

void baseline_random(struct task task)
{
    gather<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.table, task.list, task.n, task.m);
}

void baseline_sorted(struct task task)
{
    baseline_random(task);
}

/* ---- a large table in global memory ---- */

__global__ void look_up_large(float *out, const float *in, const float *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int entry = first_entry(in[i], LARGE_ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = table[entry];
        sum += value;
        entry = next_entry(entry, value, LARGE_ENTRIES);
    }
    out[i] = sum;
}

void baseline_large_table(struct task task)
{
    look_up_large<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.table, task.n);
}
