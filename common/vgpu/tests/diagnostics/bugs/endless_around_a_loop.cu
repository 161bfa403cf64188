// The outer loop never ends; the inner one does, again and again.
// expect: error: endless loop
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(float *out, int n, int step)
{
    float sum = 0;
    for (int r = 0; r < n; r += step) // BUG
        for (int i = 0; i < 37; i++)
            sum += out[i] * i;
    *out = sum;
}

int main()
{
    float *out;
    cudaMalloc(&out, 37 * sizeof(float));
    cudaMemset(out, 0, 37 * sizeof(float));
#ifdef FIXED
    rounds<<<1, 1>>>(out, 10, 1);
#else
    rounds<<<1, 1>>>(out, 10, 0);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
