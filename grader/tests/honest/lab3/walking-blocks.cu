// stage: rows
// points: 40
// Blocks walk over several tiles; a second barrier keeps the next tile out of the one that is still being read.
#include "lab3.h"

enum { TILE = 32, ROWS = 8, TILES = 4 };

__global__ void walking(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    for (int t = 0; t < TILES; t++) {
        int left = blockIdx.x * TILE, top = (blockIdx.y * TILES + t) * TILE;
        float kept[TILE / ROWS];
        if (top >= height)
            return; /* the same for the whole block */
#pragma unroll
        for (int k = 0; k < TILE / ROWS; k++) {
            int x = left + threadIdx.x, y = top + threadIdx.y + k * ROWS;
            kept[k] = x < width && y < height ? in[(size_t)y * width + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE / ROWS; k++)
            tile[threadIdx.y + k * ROWS][threadIdx.x] = kept[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE / ROWS; k++) {
            int x = top + threadIdx.x, y = left + threadIdx.y + k * ROWS;
            if (x < height && y < width)
                out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y + k * ROWS];
        }
    }
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE * TILES - 1) / (TILE * TILES));
    walking<<<grid, dim3(TILE, ROWS)>>>(out, in, width, height);
}
