// stage: rows
// points: 40
// Helpers and the kernel itself with C linkage: names that others could see.
#include "lab3.h"

extern "C" {
enum { TILE = 32, ROWS = 8 };
int blocks_made;

int blocks_for(int n)
{
    return (n + TILE - 1) / TILE;
}

__global__ void rows_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int place = blockIdx.y * TILE + threadIdx.x, line = blockIdx.x * TILE + threadIdx.y;
    float kept[TILE / ROWS];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < width && row + k < height)
            kept[k / ROWS] = in[(size_t)(row + k) * width + column];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < width && row + k < height)
            tile[threadIdx.y + k][threadIdx.x] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[threadIdx.x][threadIdx.y + k];
}
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    blocks_made += blocks_for(width) * blocks_for(height);
    rows_kernel<<<dim3(blocks_for(width), blocks_for(height)), dim3(TILE, ROWS)>>>(out, in, width, height);
}
