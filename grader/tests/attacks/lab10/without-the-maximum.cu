// attack: softmax without the maximum, which is right for small numbers
// principle: right only for the data that is usual
// at most: 0
#include "lab10.h"

__global__ void rows_of_warps(float *out, const float *in, int width, int rows)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < width; i += 32)
        sum += expf(in[(size_t)row * width + i]);
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(~0u, sum, half);
    for (int i = lane; i < width; i += 32)
        out[(size_t)row * width + i] = expf(in[(size_t)row * width + i]) / sum;
}

void softmax_online(float *out, const float *in, int width, int rows)
{
    rows_of_warps<<<(rows + 7) / 8, 256>>>(out, in, width, rows);
}
