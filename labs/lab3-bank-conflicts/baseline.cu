/* baseline.cu - the kit's own naive transpose: what speedups are measured against, and what is right where
 * the CPU would take too long. It is never the student's: a slower baseline would be an easy speedup. */
#include "lab3.h"

LAB_ENTRIES(transpose_fn, baseline_naive, baseline_copy);

enum { TILE = 32 };

__global__ void naive_kernel(float *out, const float *in, int width, int height)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        out[(size_t)column * height + row] = in[(size_t)row * width + column];
}

/* What the control does, without a tile: for what is right, and for what the tile costs. */
__global__ void copy_kernel(float *out, const float *in, int width, int height)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        out[(size_t)row * width + column] = in[(size_t)row * width + column];
}

void baseline_copy(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    copy_kernel<<<grid, block>>>(out, in, width, height);
}

void baseline_naive(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    naive_kernel<<<grid, block>>>(out, in, width, height);
}
