// A kernel gets the address of a host array.
// expect: error: host pointer
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1; // BUG
}

int main()
{
    static int host[32];
    int *device;
    cudaMalloc(&device, sizeof host);
#ifdef FIXED
    fill<<<1, 32>>>(device);
#else
    fill<<<1, 32>>>(host);
#endif
    cudaDeviceSynchronize();
    cudaFree(device);
    return host[0];
}
