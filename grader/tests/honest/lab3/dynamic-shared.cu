// stage: rows
// points: 40
// A tile of the size that the launch says.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void turn(float *out, const float *in, int width, int height)
{
    extern __shared__ float tile[];
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
            tile[(threadIdx.y + k) * (TILE + 1) + threadIdx.x] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[threadIdx.x * (TILE + 1) + threadIdx.y + k];
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS), TILE * (TILE + 1) * sizeof(float)>>>(out, in, width, height);
}
