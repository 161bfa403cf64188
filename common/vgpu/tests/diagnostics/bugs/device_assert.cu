// An assertion in a kernel fails.
// expect: error: assertion failed in a kernel
// says: the condition is `in[threadIdx.x] >= 0`
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void check(const int *in)
{
    assert(in[threadIdx.x] >= 0); // BUG
}

int main()
{
    int host[32] = {0}, *in;
#ifndef FIXED
    host[7] = -1;
#endif
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    check<<<1, 32>>>(in);
    cudaDeviceSynchronize();
    cudaFree(in);
}
