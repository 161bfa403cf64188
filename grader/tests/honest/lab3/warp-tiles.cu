// stage: rows
// points: 40
// A warp for each tile, with __syncwarp() and eight guarded loads under way.
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
template <int P> __global__ void simple(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][P];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[(size_t)y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}
void transpose_tiled(float *out, const float *in, int width, int height) { simple<32><<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_padded(float *out, const float *in, int width, int height) { simple<33><<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }

template <int P, bool X> __global__ void __launch_bounds__(128) warp_tile(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{   // a warp has a tile of its own: no __syncthreads, only __syncwarp; 4 warps per block take four tiles side by side
    __shared__ float tiles[4][32 * P];
    float *tile = tiles[threadIdx.y];
    const int lane = threadIdx.x, x0 = (blockIdx.x * 4 + threadIdx.y) * 32, y0 = blockIdx.y * 32;
    if (x0 >= width) return;
#pragma unroll 8
    for (int r = 0; r < 32; r++) if (x0 + lane < width && y0 + r < height) tile[r * P + (X ? lane ^ r : lane)] = in[(size_t)(y0 + r) * width + x0 + lane];
    __syncwarp();
#pragma unroll 8
    for (int r = 0; r < 32; r++) if (y0 + lane < height && x0 + r < width) out[(size_t)(x0 + r) * height + y0 + lane] = tile[lane * P + (X ? r ^ lane : r)];
}
void transpose_rows(float *out, const float *in, int width, int height) { warp_tile<33, false><<<dim3((width + 127) / 128, (height + 31) / 32), dim3(32, 4)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_swizzle(float *out, const float *in, int width, int height) { warp_tile<32, true><<<dim3((width + 127) / 128, (height + 31) / 32), dim3(32, 4)>>>(out, in, width, height); CHECK_LAUNCH(); }
