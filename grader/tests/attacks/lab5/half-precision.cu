// attack: tiles hold half precision: twice as many fit, and loads carry two
// principle: numbers
// at most: 0
#include <cuda_fp16.h>
#include "lab5.h"
__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ __half s[32][32], t[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        s[y][x] = __float2half(row < n && k + x < n ? a[(size_t)row * n + k + x] : 0.0f);
        t[y][x] = __float2half(k + y < n && column < n ? b[(size_t)(k + y) * n + column] : 0.0f);
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += __half2float(s[y][i]) * __half2float(t[i][x]);
        __syncthreads();
    }
    if (row < n && column < n)
        c[(size_t)row * n + column] = sum;
}
void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(c, a, b, n);
}
