// stage: coarse_local
// points: 10
// 8 x 8 results per thread, and the edges tested where values are loaded.
#include "lab5.h"

enum { EDGE = 16, EACH = 8 };

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    int top = blockIdx.y * EDGE * EACH + threadIdx.y, left = blockIdx.x * EDGE * EACH + threadIdx.x;
    float sum[EACH][EACH] = {};
    for (int k = 0; k < n; k++) {
        float u[EACH], v[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            u[i] = top + i * EDGE < n ? a[(size_t)(top + i * EDGE) * n + k] : 0.0f;
            v[i] = left + i * EDGE < n ? b[(size_t)k * n + left + i * EDGE] : 0.0f;
        }
#pragma unroll
        for (int y = 0; y < EACH; y++)
#pragma unroll
            for (int x = 0; x < EACH; x++)
                sum[y][x] += u[y] * v[x];
    }
#pragma unroll
    for (int y = 0; y < EACH; y++)
#pragma unroll
        for (int x = 0; x < EACH; x++)
            if (top + y * EDGE < n && left + x * EDGE < n)
                c[(size_t)(top + y * EDGE) * n + left + x * EDGE] = sum[y][x];
}

void matmul_coarse_local(float *c, const float *a, const float *b, int n)
{
    const int each = EDGE * EACH;
    multiply<<<dim3((n + each - 1) / each, (n + each - 1) / each), dim3(EDGE, EDGE)>>>(c, a, b, n);
}
