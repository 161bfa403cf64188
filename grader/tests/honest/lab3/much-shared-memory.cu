// stage: padded
// points: 30
// A tile of 64 x 65 in each of four layers, 66 KB in all: more than a block has without asking.
#include "lab3.h"

enum { TILE = 64, ROWS = 16, LAYERS = 4, BYTES = LAYERS * TILE * (TILE + 1) * 4 };

__global__ void turn(float *out, const float *in, int width, int height)
{
    extern __shared__ float tiles[];
    float *tile = tiles + threadIdx.z * TILE * (TILE + 1);
    int x = blockIdx.x * TILE, y = (blockIdx.y * LAYERS + threadIdx.z) * TILE;
    for (int k = threadIdx.y; k < TILE; k += 4)
        for (int c = threadIdx.x; c < TILE; c += 32)
            if (x + c < width && y + k < height)
                tile[k * (TILE + 1) + c] = in[(size_t)(y + k) * width + x + c];
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += 4)
        for (int c = threadIdx.x; c < TILE; c += 32)
            if (y + c < height && x + k < width)
                out[(size_t)(x + k) * height + y + c] = tile[c * (TILE + 1) + k];
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE * LAYERS - 1) / (TILE * LAYERS));
    turn<<<grid, dim3(32, 4, LAYERS), BYTES>>>(out, in, width, height);
}
