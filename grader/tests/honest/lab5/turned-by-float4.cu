// stage: transposed
// points: 6
// Rows of 36 words, filled one column after the other: a store meets some banks four times, a load none.
#include "lab5.h"

enum { SIDE = 32, HALF = 16 };

__global__ void __launch_bounds__(512, 4) multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float4 s[SIDE][SIDE / 4], t[SIDE][SIDE / 4 + 1];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float upper = 0, lower = 0;
    for (int k = 0; k < n; k += SIDE) {
        for (int i = 0; i < SIDE; i += HALF) {
            ((float *)s[y + i])[x] = row + i < n && k + x < n ? a[(size_t)(row + i) * n + k + x] : 0.0f;
            ((float *)t[x])[y + i] = k + y + i < n && column < n ? b[(size_t)(k + y + i) * n + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE / 4; i++) {
            float4 p = s[y][i], q = s[y + HALF][i], r = t[x][i];
            upper += p.x * r.x + p.y * r.y + p.z * r.z + p.w * r.w;
            lower += q.x * r.x + q.y * r.y + q.z * r.z + q.w * r.w;
        }
        __syncthreads();
    }
    if (row < n && column < n)
        c[(size_t)row * n + column] = upper;
    if (row + HALF < n && column < n)
        c[(size_t)(row + HALF) * n + column] = lower;
}

void matmul_transposed(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE), dim3(SIDE, HALF)>>>(c, a, b, n);
}
