// stage: rows
// points: 40
// Loads and stores are lambdas; one of them takes another.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

__global__ void turn(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    float kept[TILE / ROWS];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int place = blockIdx.y * TILE + threadIdx.x, line = blockIdx.x * TILE + threadIdx.y;
    auto each = [](auto work) {
#pragma unroll
        for (int k = 0; k < TILE / ROWS; k++)
            work(k);
    };
    auto is_inside = [=](int k) { return column < width && row + k * ROWS < height; };
    each([&](int k) { if (is_inside(k)) kept[k] = in[(size_t)(row + k * ROWS) * width + column]; });
    each([&](int k) { if (is_inside(k)) tile[threadIdx.y + k * ROWS][threadIdx.x] = kept[k]; });
    __syncthreads();
    each([&](int k) {
        if (place < height && line + k * ROWS < width)
            out[(size_t)(line + k * ROWS) * height + place] = tile[threadIdx.x][threadIdx.y + k * ROWS];
    });
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    turn<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
