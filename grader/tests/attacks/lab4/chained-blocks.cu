// attack: each block waits for the one before it, which a sample of blocks does not have: the sample ends at once
// principle: time faking
// at most: 3
// long: 8 s of CPU time
#include "lab4.h"
__global__ void chain(long long *sum, const int *in, long n, volatile long long *total, volatile int *is_done)
{
    __shared__ long long value[32];
    long share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    if (threadIdx.x == 0) while (blockIdx.x > 0 && !is_done[blockIdx.x - 1]) ;
    __syncwarp();
    __threadfence();
    long long mine = 0;
    for (long i = first + threadIdx.x; i < first + share && i < n; i += 32) mine += in[i];
    value[threadIdx.x] = mine;
    __syncwarp();
    if (threadIdx.x > 0) return;
    for (int k = 1; k < 32; k++) mine += value[k];
    if (blockIdx.x > 0) mine += total[blockIdx.x - 1];
    total[blockIdx.x] = mine;
    __threadfence();
    is_done[blockIdx.x] = 1;
    if (blockIdx.x == gridDim.x - 1) *sum = mine;
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    cudaMemsetAsync(scratch, 0, 4096);
    chain<<<1024, 32>>>(sum, in, n, scratch + 512, (int *)scratch);
}
