// stage: rows
// points: 40
// Helpers with C linkage whose names the kit uses too: reference, layout, stages, note, record.
#include "lab3.h"

extern "C" {
enum { TILE = 32, ROWS = 8 };

int stages = 4;
int count_right, find_stage;

int layout(int n)
{
    return (n + TILE - 1) / TILE;
}

int reference(int n) { return layout(n) + 0 * stages; }
int note(void) { return count_right; }
int record(void) { return find_stage + note(); }
}

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
    turn<<<dim3(layout(width) + record(), reference(height)), dim3(TILE, ROWS)>>>(out, in, width, height);
}
