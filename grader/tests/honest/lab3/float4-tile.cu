// stage: tiled
// points: 30
// A float4 at a time through the tile, where both sizes allow it.
#include "lab3.h"

enum { TILE = 32, QUADS = TILE / 4 };

__global__ void plain(float *out, const float *in, int width, int height)
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

__global__ void quads(float4 *out, const float4 *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * QUADS + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width / 4 && y < height) {
        float4 v = in[(size_t)y * (width / 4) + x];
        tile[threadIdx.y][4 * threadIdx.x + 0] = v.x;
        tile[threadIdx.y][4 * threadIdx.x + 1] = v.y;
        tile[threadIdx.y][4 * threadIdx.x + 2] = v.z;
        tile[threadIdx.y][4 * threadIdx.x + 3] = v.w;
    }
    __syncthreads();
    x = blockIdx.y * QUADS + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < height / 4 && y < width)
        out[(size_t)y * (height / 4) + x] =
            make_float4(tile[4 * threadIdx.x][threadIdx.y], tile[4 * threadIdx.x + 1][threadIdx.y],
                        tile[4 * threadIdx.x + 2][threadIdx.y], tile[4 * threadIdx.x + 3][threadIdx.y]);
}

void transpose_tiled(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    if (width % 4 == 0 && height % 4 == 0)
        quads<<<grid, dim3(QUADS, TILE)>>>((float4 *)out, (const float4 *)in, width, height);
    else
        plain<<<grid, dim3(TILE, TILE)>>>(out, in, width, height);
}
