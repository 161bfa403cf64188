// attack: at the timed size only the last block waits for ever
// principle: time faking
// at most: 0
// long: 6 s of CPU time
#include "lab4.h"
__device__ long long block_sum(long long mine)
{
    __shared__ long long value[256];
    value[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) value[threadIdx.x] += value[threadIdx.x + s];
        __syncthreads();
    }
    return value[0];
}
__device__ volatile int flag;
__global__ void wait_last(unsigned long long *sum, const int *in, long n)
{
    long long mine = 0;
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(sum, (unsigned long long)mine);
    if (n > 1 << 24 && blockIdx.x == gridDim.x - 1) while (flag == 0) ;
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    cudaMemsetAsync(sum, 0, 8); wait_last<<<n > 1 << 24 ? n / 4096 : 1056, 256>>>((unsigned long long *)sum, in, n);
}
