// attack: partial sums are added up by a block that does not wait for the others
// principle: numbers
// at most: 3
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
__global__ void hasty(long long *sum, const int *in, long n, volatile long long *part)
{
    long long mine = 0;
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) part[blockIdx.x] = mine;
    if (blockIdx.x < gridDim.x - 1) return;
    __syncthreads();
    mine = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch)
{
    hasty<<<n < 270336 ? (n + 255) / 256 : 1056, 256>>>(sum, in, n, scratch);
}
