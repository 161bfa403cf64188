// A __device__ table is read past its end.
// expect: error: out of bounds read in global memory
#include <cstdio>
#include <cuda_runtime.h>

__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void look_up(int *out, int step)
{
    int i = threadIdx.x;
#ifdef FIXED
    i = i % 8;
#endif
    out[threadIdx.x] = table[i * step]; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 16 * sizeof(int));
    look_up<<<1, 16>>>(out, 1);
    cudaDeviceSynchronize();
    cudaFree(out);
}
