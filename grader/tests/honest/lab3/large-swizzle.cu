// stage: swizzle
// points: 10
// A tile of 64 x 64, swizzled: 16 KB without a byte to spare.
#include "lab3.h"

enum { TILE = 64, ROWS = 16 };

__global__ void large(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    float kept[TILE / ROWS];
#pragma unroll
    for (int k = 0; k < TILE / ROWS; k++) {
        int x = left + threadIdx.x, y = top + threadIdx.y + k * ROWS;
        kept[k] = x < width && y < height ? in[(size_t)y * width + x] : 0;
    }
#pragma unroll
    for (int k = 0; k < TILE / ROWS; k++) {
        int r = threadIdx.y + k * ROWS;
        tile[r][threadIdx.x ^ r % 32] = kept[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE / ROWS; k++) {
        int c = threadIdx.y + k * ROWS, r = threadIdx.x, x = top + r, y = left + c;
        if (x < height && y < width)
            out[(size_t)y * height + x] = tile[r][c ^ r % 32];
    }
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    large<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
