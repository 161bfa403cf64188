// stage: padded
// points: 30
// Two floats at a time where the width is even: a warp covers two rows of the tile.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

template <typename unit>
__global__ void turn(float *out, const float *in, int width, int height)
{
    const int each = sizeof(unit) / sizeof(float), across = TILE / each;
    __shared__ float tile[TILE][TILE + 1];
    int t = threadIdx.y * TILE + threadIdx.x, x = t % across * each, y = t / across;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    for (int k = 0; y + k < TILE; k += TILE * ROWS / across)
        if (column < width && row + k < height) {
            unit v = *(const unit *)&in[(size_t)(row + k) * width + column];
            for (int i = 0; i < each; i++)
                tile[y + k][x + i] = ((const float *)&v)[i];
        }
    __syncthreads();
    int place = blockIdx.y * TILE + threadIdx.x, line = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (place < height && line + k < width)
            out[(size_t)(line + k) * height + place] = tile[threadIdx.x][threadIdx.y + k];
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    if (width % 2 == 0)
        turn<float2><<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
    else
        turn<float><<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
