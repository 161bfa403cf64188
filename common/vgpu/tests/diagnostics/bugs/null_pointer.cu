// The output buffer was never allocated.
// expect: error: null pointer
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1; // BUG
}

int main()
{
    int *out = nullptr;
#ifdef FIXED
    cudaMalloc(&out, 32 * sizeof(int));
#endif
    fill<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
