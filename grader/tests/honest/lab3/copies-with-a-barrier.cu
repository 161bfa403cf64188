// stage: swizzle
// points: 10
// long: 9 s of CPU time
// cuda::memcpy_async() into the tile, and a cuda::barrier that waits for it.
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

#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
static dim3 grid_of(int w, int h) { return dim3((w + 31) / 32, (h + 31) / 32); }
__global__ void tiled_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) __pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x], &in[(size_t)y * width + x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void padded_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) __pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x], &in[(size_t)y * width + x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void rows_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
    for (int j = 0; j < TILE; j += 8) {
        int y = blockIdx.y * TILE + threadIdx.y + j;
        if (x < width && y < height)
            __pipeline_memcpy_async(&tile[threadIdx.y + j][threadIdx.x], &in[(size_t)y * width + x], sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (int j = 0; j < TILE; j += 8) {
        int y = blockIdx.x * TILE + threadIdx.y + j;
        if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void only_new(unsigned *p) { *p = __reduce_add_sync(~0u, threadIdx.x); }
__global__ void swizzle_kernel(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    int x = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
    for (int j = 0; j < TILE; j += 8) {
        int r = threadIdx.y + j, y = blockIdx.y * TILE + r;
        if (x < width && y < height)
            cuda::memcpy_async(&tile[r][threadIdx.x ^ r], &in[(size_t)y * width + x], sizeof(float), bar);
    }
    bar.arrive_and_wait();
    x = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (int j = 0; j < TILE; j += 8) {
        int c = threadIdx.y + j, y = blockIdx.x * TILE + c;
        if (x < height && y < width) out[(size_t)y * height + x] = tile[threadIdx.x][c ^ threadIdx.x];
    }
}
void transpose_tiled(float *out, const float *in, int width, int height)
{ tiled_kernel<<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_padded(float *out, const float *in, int width, int height)
{ padded_kernel<<<grid_of(width, height), dim3(32, 32)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_rows(float *out, const float *in, int width, int height)
{ rows_kernel<<<grid_of(width, height), dim3(32, 8)>>>(out, in, width, height); CHECK_LAUNCH(); }
void transpose_swizzle(float *out, const float *in, int width, int height)
{ swizzle_kernel<<<grid_of(width, height), dim3(32, 8)>>>(out, in, width, height); CHECK_LAUNCH(); }
