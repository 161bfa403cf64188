// Threads without an element of the last tile return, although a barrier follows in the loop.
// expect: error: barrier under divergent control flow
// says: a thread returns, or leaves a branch or loop, before this __syncthreads()
// never: stands in a branch
#include <cstdio>
#include <cuda_runtime.h>

__global__ void levels(int *out, const int *in, int count)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    for (int begin = 0; begin < count; begin += 64) {
#ifdef FIXED
        if (begin + t < count)
            tile[t] = in[begin + t];
#else
        if (begin + t >= count)
            return;
        tile[t] = in[begin + t];
#endif
        __syncthreads(); // BUG
        if (begin + t < count)
            out[begin + t] = tile[(begin + (t ^ 1)) < count ? t ^ 1 : t];
        __syncthreads();
    }
}

int main()
{
    int *out, *in;
    cudaMalloc(&out, 400);
    cudaMalloc(&in, 400);
    cudaMemset(in, 0, 400);
    levels<<<1, 64>>>(out, in, 100);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
