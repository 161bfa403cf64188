// stage: rows
// points: 40
// Tiles of 64 x 64 floats: a thread has sixteen guarded loads under way.
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

// tiled: blocks 32x8 already walking, tile 32 x 32; padded: 64 x 64 + 1; rows: 64 x 64 with 1-D 256 threads, swizzle with float4 loads when possible
__global__ void tiled_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[64][64];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    for (int j = threadIdx.y; j < 64; j += blockDim.y)
        for (int i = threadIdx.x; i < 64; i += blockDim.x)
            if (x0 + i < width && y0 + j < height)
                tile[j][i] = in[(size_t)(y0 + j) * width + x0 + i];
    __syncthreads();
    for (int j = threadIdx.y; j < 64; j += blockDim.y)
        for (int i = threadIdx.x; i < 64; i += blockDim.x)
            if (y0 + i < height && x0 + j < width)
                out[(size_t)(x0 + j) * height + y0 + i] = tile[i][j];
}
__global__ void padded_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[64][65];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    #pragma unroll
    for (int j = 0; j < 64; j += 16)
        #pragma unroll
        for (int i = threadIdx.x; i < 64; i += 32)
            if (x0 + i < width && y0 + j + threadIdx.y < height)
                tile[j + threadIdx.y][i] = in[(size_t)(y0 + j + threadIdx.y) * width + x0 + i];
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < 64; j += 16)
        #pragma unroll
        for (int i = threadIdx.x; i < 64; i += 32)
            if (y0 + i < height && x0 + j + threadIdx.y < width)
                out[(size_t)(x0 + j + threadIdx.y) * height + y0 + i] = tile[i][j + threadIdx.y];
}
__global__ void rows_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[64][65];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64, t = threadIdx.x;
    #pragma unroll
    for (int k = 0; k < 16; k++) {
        int e = t + 256 * k, j = e / 64, i = e % 64;
        if (x0 + i < width && y0 + j < height) tile[j][i] = in[(size_t)(y0 + j) * width + x0 + i];
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; k++) {
        int e = t + 256 * k, j = e / 64, i = e % 64;
        if (y0 + i < height && x0 + j < width) out[(size_t)(x0 + j) * height + y0 + i] = tile[i][j];
    }
}
__global__ void swizzle_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[64 * 64];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64, t = threadIdx.x;
    #pragma unroll
    for (int k = 0; k < 16; k++) {
        int e = t + 256 * k, j = e / 64, i = e % 64;
        if (x0 + i < width && y0 + j < height) tile[j * 64 + (i ^ (j & 31))] = in[(size_t)(y0 + j) * width + x0 + i];
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; k++) {
        int e = t + 256 * k, j = e / 64, i = e % 64;
        if (y0 + i < height && x0 + j < width) out[(size_t)(x0 + j) * height + y0 + i] = tile[i * 64 + (j ^ (i & 31))];
    }
}
void transpose_tiled(float *out, const float *in, int width, int height)
{ tiled_kernel<<<dim3((width + 63) / 64, (height + 63) / 64), dim3(32, 16)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_padded(float *out, const float *in, int width, int height)
{ padded_kernel<<<dim3((width + 63) / 64, (height + 63) / 64), dim3(32, 16)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_rows(float *out, const float *in, int width, int height)
{ rows_kernel<<<dim3((width + 63) / 64, (height + 63) / 64), 256>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_swizzle(float *out, const float *in, int width, int height)
{ swizzle_kernel<<<dim3((width + 63) / 64, (height + 63) / 64), 256>>>(out, in, width, height); CHECK_LAUNCH(); }
