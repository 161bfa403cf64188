// The barrier stands in a branch that lanes of one warp take differently, at the kernel's end.
// expect: error: barrier
#include <cstdio>
#include <cuda_runtime.h>

__global__ void odd(int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = t;
#ifdef FIXED
    __syncthreads();
#endif
    if (t % 2) {
#ifndef FIXED
        __syncthreads(); // BUG
#endif
        out[t] = tile[t];
    }
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    odd<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
