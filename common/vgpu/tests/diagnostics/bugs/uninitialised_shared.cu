// Only half of the tile is filled before all of it is read.
// expect: error: read of uninitialised shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
#ifdef FIXED
    tile[t] = t < n ? in[t] : 0;
#else
    if (t < n)
        tile[t] = in[t];
#endif
    __syncthreads();
    out[t] = tile[63 - t]; // BUG
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    sum<<<1, 64>>>(out, in, 50);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
