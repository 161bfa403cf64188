// stage: rows
// points: 40
// A line from the device and one from the host, for the smallest matrix.
#include <cstdio>

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
    if (width == 1 && height == 1 && threadIdx.x == 0 && threadIdx.y == 0)
        printf("one element: %f\n", out[0]);
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    if (width == 1 && height == 1)
        printf("about to turn one element\n");
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
