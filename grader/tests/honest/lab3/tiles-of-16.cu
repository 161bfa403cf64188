// stage: tiled
// points: 30
// Blocks and tiles of 16 x 16: a warp is two rows of the tile.
#include "lab3.h"

enum { TILE = 16 };

__global__ void small(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}

void transpose_tiled(float *out, const float *in, int width, int height)
{
    small<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(out, in, width, height);
}
