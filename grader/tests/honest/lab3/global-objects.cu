// stage: rows
// points: 40
// Global objects with constructors: a table of names, a mutex, a counter that is set before main().
#include <mutex>
#include <string>
#include <vector>

#include "lab3.h"

enum { TILE = 32, ROWS = 8 };

struct settings {
    int tile, rows;
    std::vector<int> history;
    settings() : tile(TILE), rows(ROWS) { history.reserve(16); }
    ~settings() { history.clear(); }
};
static settings setting;
std::string name = std::string("transpose with ") + std::to_string(ROWS) + " rows";
std::mutex in_use;

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

void transpose_rows(float *out, const float *in, int width, int height)
{
    std::lock_guard<std::mutex> guard(in_use);
    setting.history.push_back(width);
    dim3 grid((width + setting.tile - 1) / setting.tile, (height + setting.tile - 1) / setting.tile);
    turn<<<grid, dim3(setting.tile, setting.rows)>>>(out, in, width, height);
}
