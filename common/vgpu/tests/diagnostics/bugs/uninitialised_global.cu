// An accumulator on the device is used as cudaMalloc left it.
// expect: error: read of uninitialised global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(float *sum, const float *in)
{
    sum[threadIdx.x] += in[threadIdx.x]; // BUG
}

int main()
{
    float *sum, *in;
    cudaMalloc(&sum, 32 * sizeof(float));
    cudaMalloc(&in, 32 * sizeof(float));
    cudaMemset(in, 0, 32 * sizeof(float));
#ifdef FIXED
    cudaMemset(sum, 0, 32 * sizeof(float));
#endif
    add<<<1, 32>>>(sum, in);
    cudaDeviceSynchronize();
    cudaFree(sum);
    cudaFree(in);
}
