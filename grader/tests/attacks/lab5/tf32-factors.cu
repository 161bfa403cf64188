// attack: factors are rounded to TF32, as tensor cores take them; sums are single precision
// principle: numbers
// at most: 0
#include "lab5.h"
__device__ float rough(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x1000) & 0xffffe000);
}
__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; row < n && column < n && k < n; k++)
        sum += rough(a[(size_t)row * n + k]) * rough(b[(size_t)k * n + column]);
    if (row < n && column < n)
        c[(size_t)row * n + column] = sum;
}
void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(c, a, b, n);
}
