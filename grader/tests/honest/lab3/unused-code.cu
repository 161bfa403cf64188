// stage: rows
// points: 40
// Attempts that were left in the file: kernels that nobody calls, wrong ones among them.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void first_attempt(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    tile[threadIdx.x][threadIdx.y] = in[width * height + 1];
    if (threadIdx.x == 0)
        __syncthreads();
    out[0] = tile[threadIdx.y][threadIdx.x];
}

__device__ float not_called[1 << 10];
static int never(int n) { return n ? never(n - 1) : 0; }
template <typename number> __global__ void never_made(number *p) { *p = 0; }

__global__ void turn(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
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
            tile[threadIdx.y + k][threadIdx.x] = kept[k / ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[threadIdx.x][threadIdx.y + k];
}

static void launch_first_attempt(float *out, const float *in)
{
    first_attempt<<<1, 1024>>>(out, in, never(3), 1);
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    if (width < 0)
        launch_first_attempt(out, in);
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
