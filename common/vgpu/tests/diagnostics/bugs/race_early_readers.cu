// The last warp reads what the first one writes, before it has: the program's order is told, not that of the warps.
// expect: race: write after read
// says: a __syncthreads() is missing between this write and the read
// never: loop's end
#include <cuda_runtime.h>

__global__ void last_of_first(int *out, int value)
{
    __shared__ int value_of[32];
    if (threadIdx.x < 32)
        value_of[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        value_of[threadIdx.x] = value; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x >= 224)
        out[threadIdx.x - 224] = value_of[255 - threadIdx.x];
}

int main()
{
    int *out;
    cudaMalloc(&out, 128);
    last_of_first<<<1, 256>>>(out, 7);
    cudaDeviceSynchronize();
    cudaFree(out);
}
