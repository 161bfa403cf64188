// stage: rows
// points: 40
// One structure holds all that the kernel needs, pointers too.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

struct matrix {
    const float *in;
    float *out;
    int width, height;
};

__global__ void turn(const __grid_constant__ matrix m)
{
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int place = blockIdx.y * TILE + threadIdx.x, line = blockIdx.x * TILE + threadIdx.y;
    float kept[TILE / ROWS];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < m.width && row + k < m.height)
            kept[k / ROWS] = m.in[(size_t)(row + k) * m.width + column];
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (column < m.width && row + k < m.height)
            tile[threadIdx.y + k][threadIdx.x] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < m.height && line + k < m.width)
            m.out[(size_t)(line + k) * m.height + place] = tile[threadIdx.x][threadIdx.y + k];
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(matrix{in, out, width, height});
}
