// stage: rows
// points: 40
// A block of 256 threads in a row, which divides to find its place.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void turn(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int lane = threadIdx.x % TILE, warp = threadIdx.x / TILE;
    int column = blockIdx.x * TILE + lane, row = blockIdx.y * TILE + warp;
    int place = blockIdx.y * TILE + lane, line = blockIdx.x * TILE + warp;
    float kept[TILE / ROWS];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < width && row + k < height)
            kept[k / ROWS] = in[(size_t)(row + k) * width + column];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < width && row + k < height)
            tile[warp + k][lane] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[lane][warp + k];
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), TILE * ROWS>>>(out, in, width, height);
}
