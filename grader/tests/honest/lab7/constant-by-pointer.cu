// stage: constant
// points: 12
// The array's address from cudaGetSymbolAddress(), and an ordinary copy; blocks of 128.
#include "lab7.h"
#include "work.h"

__constant__ float weights[TAPS];

__global__ void weigh(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS && i < n; k++)
        sum += weights[k] * in[i + k];
    if (i < n)
        out[i] = sum;
}

void spaces_constant(struct task task)
{
    void *address;
    cudaGetSymbolAddress(&address, weights);
    cudaMemcpy(address, task.table, sizeof weights, cudaMemcpyDeviceToDevice);
    weigh<<<(task.n + 127) / 128, 128>>>(task.out, task.in, task.n);
}
