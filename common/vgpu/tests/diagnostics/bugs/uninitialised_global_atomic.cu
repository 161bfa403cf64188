// A counter is counted up from whatever was in memory.
// expect: error: read of uninitialised global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(unsigned *counter)
{
    atomicAdd(counter, 1u); // BUG
}

int main()
{
    unsigned *counter;
    cudaMalloc(&counter, sizeof(unsigned));
#ifdef FIXED
    cudaMemset(counter, 0, sizeof(unsigned));
#endif
    count<<<4, 64>>>(counter);
    cudaDeviceSynchronize();
    cudaFree(counter);
}
