/* baseline.cu - the kit's own first steps, which speedups are measured against: the given kernel, and the one with
 * threads along a row. They also say what is right where the CPU would take too long. */
#include "lab5.h"

LAB_ENTRIES(matmul_fn, baseline_column, baseline_coalesced);

enum { SIDE = 32 };

__device__ static void multiply(float *c, const float *a, const float *b, int n, int row, int column)
{
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}

__global__ void column_kernel(float *c, const float *a, const float *b, int n)
{
    multiply(c, a, b, n, blockIdx.x * SIDE + threadIdx.x, blockIdx.y * SIDE + threadIdx.y);
}

__global__ void coalesced_kernel(float *c, const float *a, const float *b, int n)
{
    multiply(c, a, b, n, blockIdx.y * SIDE + threadIdx.y, blockIdx.x * SIDE + threadIdx.x);
}

static dim3 grid_of(int n)
{
    return dim3((n + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE);
}

void baseline_column(float *c, const float *a, const float *b, int n)
{
    column_kernel<<<grid_of(n), dim3(SIDE, SIDE)>>>(c, a, b, n);
}

void baseline_coalesced(float *c, const float *a, const float *b, int n)
{
    coalesced_kernel<<<grid_of(n), dim3(SIDE, SIDE)>>>(c, a, b, n);
}
