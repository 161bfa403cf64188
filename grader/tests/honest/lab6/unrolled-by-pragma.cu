// stage: mlp
// points: 10
// nvcc moves the loads up by itself.
#include "lab6.h"

__global__ void sums(float *out, const float *__restrict__ in, int n, int m)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    float sum = 0;
#pragma unroll 16
    for (int row = 0; row < m; row++)
        sum += in[(size_t)row * n + column];
    out[column] = sum;
}

void limits_mlp(struct task task)
{
    sums<<<(task.n + 255) / 256, 256>>>(task.out, task.in, task.n, task.m);
}
