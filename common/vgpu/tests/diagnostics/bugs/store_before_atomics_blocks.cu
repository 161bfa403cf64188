// The kernel that counts resets the counter itself: other blocks may have counted already.
// expect: race: a plain store against atomics of other blocks
// says: by several blocks; one of them is block 0
#include <cuda_runtime.h>

__global__ void count(int *counter)
{
#ifndef FIXED
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *counter = 0; // BUG
#endif
    atomicAdd(counter, 1);
}

int main()
{
    int *counter;
    cudaMalloc(&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    count<<<4, 256>>>(counter);
    cudaDeviceSynchronize();
    cudaFree(counter);
}
