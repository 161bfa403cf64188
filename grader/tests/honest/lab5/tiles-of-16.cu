// stage: tiled
// points: 20
// Tiles of 16 x 16, blocks of 256 threads: each input is loaded twice as often as with tiles of 32.
#include "lab5.h"

enum { SIDE = 16 };

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[SIDE][SIDE], t[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        s[y][x] = row < n && k + x < n ? a[(size_t)row * n + k + x] : 0.0f;
        t[y][x] = k + y < n && column < n ? b[(size_t)(k + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[(size_t)row * n + column] = sum;
}

void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE), dim3(SIDE, SIDE)>>>(c, a, b, n);
}
