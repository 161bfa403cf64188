// The input is freed before the kernel that reads it.
// expect: error: read of freed memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void copy(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x]; // BUG
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
#ifndef FIXED
    cudaFree(in);
#endif
    copy<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
#ifdef FIXED
    cudaFree(in);
#endif
    cudaFree(out);
}
