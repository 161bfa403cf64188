// One lane skips a round of a loop that is not unrolled.
// expect: error: barrier
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(int *out, const int *work, int n)
{
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#ifndef FIXED
        if (work[i] == t)
            continue;
#endif
        __syncthreads(); // BUG
        sum += work[i];
    }
    out[t] = sum;
}

int main()
{
    int host[6] = {100, 100, 5, 100, 100, 100}, *out, *work;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&work, sizeof host);
    cudaMemcpy(work, host, sizeof host, cudaMemcpyHostToDevice);
    rounds<<<1, 64>>>(out, work, 6);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(work);
}
