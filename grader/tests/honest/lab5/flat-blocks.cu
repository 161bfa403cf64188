// stage: coalesced
// points: 10
// One row of 256 threads per block, in place of squares.
#include "lab5.h"

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}

void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + 255) / 256, n), 256>>>(c, a, b, n);
}
