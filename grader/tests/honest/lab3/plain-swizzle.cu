// stage: swizzle
// points: 10
// As short as it can be written. The compiler guards the loads instead of jumping over them: none waits for another.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void swizzle_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        if (x < width && y + r < height)
            tile[ty + r][tx ^ (ty + r)] = in[(size_t)(y + r) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx, y = blockIdx.x * TILE + ty;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        if (x < height && y + r < width)
            out[(size_t)(y + r) * height + x] = tile[tx][(ty + r) ^ tx];
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, ROWS);
    swizzle_kernel<<<grid, block>>>(out, in, width, height);
}
