// stage: registers,edges
// No kernel of its own for multiples of 128: tests everywhere, one float at a time, and the next slice waits in registers.
#include "lab5.h"

enum { TILE = 128, DEPTH = 8, EACH = 8, THREADS = 256, LINE = TILE + 4 };

__global__ void __launch_bounds__(THREADS, 2) multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ __align__(16) float s[2][DEPTH][LINE], t[2][DEPTH][TILE];
    int id = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE, x = id % 16 * 4, y = id / 16 * 4;
    float sum[EACH][EACH] = {}, next_a[4], next_b[4];
    auto fetch = [&](int k) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int row = top + id / 8 + i * 32, line = k + id / 128 + i * 2, column = left + id % 128;
            next_a[i] = row < n && k + id % 8 < n ? a[(size_t)row * n + k + id % 8] : 0.0f;
            next_b[i] = line < n && column < n ? b[(size_t)line * n + column] : 0.0f;
        }
    };
    auto keep = [&](int at) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            s[at][id % 8][id / 8 + i * 32] = next_a[i];
            t[at][id / 128 + i * 2][id % 128] = next_b[i];
        }
    };
    fetch(0);
    keep(0);
    __syncthreads();
    for (int k = 0, now = 0; k < n; k += DEPTH, now ^= 1) {
        fetch(k + DEPTH);
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float4 u[2] = {*(float4 *)&s[now][i][y], *(float4 *)&s[now][i][y + 64]};
            float4 v[2] = {*(float4 *)&t[now][i][x], *(float4 *)&t[now][i][x + 64]};
#pragma unroll
            for (int p = 0; p < EACH; p++)
#pragma unroll
                for (int q = 0; q < EACH; q++)
                    sum[p][q] += ((float *)u)[p] * ((float *)v)[q];
        }
        keep(now ^ 1);
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < EACH; p++)
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            int row = top + y + p % 4 + p / 4 * 64, column = left + x + q % 4 + q / 4 * 64;
            if (row < n && column < n)
                c[(size_t)row * n + column] = sum[p][q];
        }
}

void matmul_edges(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), THREADS>>>(c, a, b, n);
}

void matmul_registers(float *c, const float *a, const float *b, int n)
{
    matmul_edges(c, a, b, n);
}
