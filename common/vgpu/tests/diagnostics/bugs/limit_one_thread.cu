// One thread does everything: right, but more than the virtual GPU executes for one warp.
// expect: error: limit of the virtual GPU: too many instructions in one warp
// says: the budget of 2000000 (VGPU_BUDGET)
// never: endless
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(float *out, const float *in, int n, int rounds)
{
    float total = 0;
    for (int r = 0; r < rounds; r++) // BUG
        for (int i = 0; i < n; i++) // BUG
            total += in[i]; // BUG
    *out = total;
}

int main()
{
    const int n = 100000;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
#ifdef FIXED
    sum<<<1, 1>>>(out, in, n, 1);
#else
    sum<<<1, 1>>>(out, in, n, 1000);
#endif
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
