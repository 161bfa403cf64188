// stage: rows
// points: 40
// Tile, rows and type are template parameters; the kernel is a function of a class.
#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

template <typename number, int tile_size, int rows>
struct transposer {
    static_assert(tile_size % rows == 0, "a thread's rows must fill the tile");
    number (*tile)[tile_size + 1];

    __device__ void turn(number *out, const number *in, int width, int height) const
    {
        int column = blockIdx.x * tile_size + threadIdx.x, row = blockIdx.y * tile_size + threadIdx.y;
        int place = blockIdx.y * tile_size + threadIdx.x, line = blockIdx.x * tile_size + threadIdx.y;
        number kept[tile_size / rows];
#pragma unroll
        for (int k = 0; k < tile_size / rows; k++)
            if (column < width && row + k * rows < height)
                kept[k] = in[(size_t)(row + k * rows) * width + column];
#pragma unroll
        for (int k = 0; k < tile_size / rows; k++)
            if (column < width && row + k * rows < height)
                tile[threadIdx.y + k * rows][threadIdx.x] = kept[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile_size / rows; k++)
            if (place < height && line + k * rows < width)
                out[(size_t)(line + k * rows) * height + place] = tile[threadIdx.x][threadIdx.y + k * rows];
    }
};

template <typename number, int tile_size, int rows>
__global__ void turn(number *out, const number *in, int width, int height)
{
    __shared__ number tile[tile_size][tile_size + 1];
    transposer<number, tile_size, rows>{tile}.turn(out, in, width, height);
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    turn<float, TILE, ROWS><<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(out, in, width, height);
}
