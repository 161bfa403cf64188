// The step of the loop is zero.
// expect: error: endless loop
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int *out, int n, int step)
{
    int sum = 0;
    for (int i = 0; i < n; i += step) // BUG
        sum += out[i % 32]; // BUG
    out[threadIdx.x] = sum;
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(out, 0, 32 * sizeof(int));
#ifdef FIXED
    count<<<1, 1>>>(out, 64, 8);
#else
    count<<<1, 1>>>(out, 64, 0);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
