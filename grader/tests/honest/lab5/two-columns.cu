// stage: two_results
// points: 15
// Two columns per thread in place of two rows: an element of a's tile serves both. Sums in any order are right.
#include "lab5.h"

enum { SIDE = 32, HALF = 16 };

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float s[SIDE][SIDE], t[SIDE][2 * SIDE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE + y, column = blockIdx.x * 2 * SIDE + x;
    float left = 0, right = 0;
    for (int k = (n - 1) / SIDE * SIDE; k >= 0; k -= SIDE) {
        s[y][x] = row < n && k + x < n ? a[(size_t)row * n + k + x] : 0.0f;
        t[y][x] = k + y < n && column < n ? b[(size_t)(k + y) * n + column] : 0.0f;
        t[y][x + SIDE] = k + y < n && column + SIDE < n ? b[(size_t)(k + y) * n + column + SIDE] : 0.0f;
        __syncthreads();
        for (int i = 0; i < SIDE; i++) {
            left += s[y][i] * t[i][x];
            right += s[y][i] * t[i][x + SIDE];
        }
        __syncthreads();
    }
    if (row < n && column < n)
        c[(size_t)row * n + column] = left;
    if (row < n && column + SIDE < n)
        c[(size_t)row * n + column + SIDE] = right;
}

void matmul_two_results(float *c, const float *a, const float *b, int n)
{
    multiply<<<dim3((n + 2 * SIDE - 1) / (2 * SIDE), (n + SIDE - 1) / SIDE), dim3(SIDE, SIDE)>>>(c, a, b, n);
}
