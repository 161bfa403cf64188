// A difference of neighbours reads one element behind the last.
// expect: error: out of bounds read in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void difference(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i + 1 < n)
#else
    if (i < n)
#endif
        out[i] = in[i + 1] - in[i]; // BUG
}

int main()
{
    const int n = 256;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    difference<<<1, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
