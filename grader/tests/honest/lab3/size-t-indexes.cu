// stage: swizzle
// points: 10
// Indexes are size_t, so that addresses take more operations.
#include "lab3.h"

#include "lab/check.h"

enum { TILE = 32 }; /* rows and columns of a tile; a warp is one row of it */

/* ---- stage 1, given: reads along rows, writes down columns ---- */

__global__ void naive_kernel(float *out, const float *in, int width, int height)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        out[(size_t)column * height + row] = in[(size_t)row * width + column];
}

void transpose_naive(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    naive_kernel<<<grid, block>>>(out, in, width, height);
    CHECK_LAUNCH();
}


static dim3 grid_of(int w, int h) { return dim3((w + 31) / 32, (h + 31) / 32); }

template <size_t P, size_t R, bool X> __global__ void k(float *out, const float *in, size_t width, size_t height)
{
    __shared__ float tile[32 * P];
    size_t x = (size_t)blockIdx.x * 32 + threadIdx.x, y = (size_t)blockIdx.y * 32 + threadIdx.y;
    for (size_t i = 0; i < 32; i += R)
        if (x < width && y + i < height)
            tile[(threadIdx.y + i) * P + (X ? threadIdx.x ^ (threadIdx.y + i) : threadIdx.x)] = in[(y + i) * width + x];
    __syncthreads();
    x = (size_t)blockIdx.y * 32 + threadIdx.x; y = (size_t)blockIdx.x * 32 + threadIdx.y;
    for (size_t i = 0; i < 32; i += R)
        if (x < height && y + i < width)
            out[(y + i) * height + x] = tile[threadIdx.x * P + (X ? (threadIdx.y + i) ^ threadIdx.x : threadIdx.y + i)];
}
void transpose_tiled(float *out, const float *in, int width, int height) { k<32, 32, false><<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_padded(float *out, const float *in, int width, int height) { k<33, 32, false><<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_rows(float *out, const float *in, int width, int height) { k<33, 8, false><<<grid_of(width, height), dim3(32, 8)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_swizzle(float *out, const float *in, int width, int height) { k<32, 8, true><<<grid_of(width, height), dim3(32, 8)>>>(out, in, width, height); CHECK_LAUNCH(); }
