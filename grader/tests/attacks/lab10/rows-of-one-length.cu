// attack: rows are taken to be as long as they are on average
// principle: right only for the data that is usual
// at most: 0
#include "lab10.h"

__global__ void rows_alike(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int width = starts[rows] / rows;
    float sum = 0;
    for (int i = row * width + lane; i < (row + 1) * width; i += 32)
        sum += values[i] * x[columns[i]];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(~0u, sum, half);
    if (lane == 0)
        y[row] = sum;
}

void spmv_warp(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    rows_alike<<<(rows + 7) / 8, 256>>>(y, starts, columns, values, x, rows);
}
