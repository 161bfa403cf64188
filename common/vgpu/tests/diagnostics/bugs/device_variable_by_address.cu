// A kernel gets the address of a variable of the device, which in host code is that of one of the host's.
// expect: error: host pointer written in a kernel
// says: Do not pass it: use `count` in the kernel.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int count;

__global__ void add(int *to)
{
    atomicAdd(to, 1); // BUG
}

int main()
{
    int *address = &count;
#ifdef FIXED
    cudaGetSymbolAddress((void **)&address, count);
#endif
    add<<<1, 32>>>(address);
    cudaDeviceSynchronize();
}
