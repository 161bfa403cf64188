// The first thread of a block reads to the left of the tile.
// expect: error: out of bounds read in shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void left(int *out, const int *in)
{
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
#ifdef FIXED
    out[t] = t > 0 ? tile[t - 1] : 0;
#else
    out[t] = tile[t - 1]; // BUG
#endif
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 128 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(in, 0, 128 * sizeof(int));
    left<<<1, 128>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
