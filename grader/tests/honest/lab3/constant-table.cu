// stage: swizzle
// points: 10
// The swizzle comes from a table in constant memory, copied there in the first call.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__constant__ int order[TILE];

__global__ void turn(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
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
            tile[threadIdx.y + k][threadIdx.x ^ order[threadIdx.y + k]] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    static bool is_ready;
    if (!is_ready) {
        int numbers[TILE];
        for (int i = 0; i < TILE; i++)
            numbers[i] = i;
        cudaMemcpyToSymbol(order, numbers, sizeof numbers);
        is_ready = true;
    }
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
