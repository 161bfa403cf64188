// Only half of the block comes to the barrier.
// expect: error: barrier
#include <cstdio>
#include <cuda_runtime.h>

__global__ void half(int *out, const int *in)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
#ifdef FIXED
    __syncthreads();
    int x = t < 32 ? tile[63 - t] : 0;
#else
    int x = 0;
    if (t < 32) {
        __syncthreads(); // BUG
        x = tile[t];
    }
#endif
    out[t] = x;
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    half<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
