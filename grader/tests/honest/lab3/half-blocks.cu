// stage: padded
// points: 30
// Blocks of 32 x 16 threads, two rows of the tile each.
#include "lab3.h"

enum { TILE = 32, ROWS = 16 };

__global__ void half_block(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width)
            out[(size_t)(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    half_block<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
