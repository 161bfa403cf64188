// stage: tiled
// points: 30
// long: 8 s of CPU time
// Through memory of its own: the input is copied there first, then turned through a tile.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void turn(float *out, const float *in, int width, int height)
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

void transpose_tiled(float *out, const float *in, int width, int height)
{
    float *copy;
    size_t bytes = sizeof *in * width * height;
    cudaMalloc(&copy, bytes);
    cudaMemcpyAsync(copy, in, bytes, cudaMemcpyDeviceToDevice);
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, copy, width, height);
    cudaFree(copy);
}
