// attack: scalars come as asynchronous copies, a few vectors as loads
// principle: concept faking
// at most: 3
// long: all of the timed size is executed
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
__device__ long long sum_of_warp(long long mine)
{
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    return mine;
}
__global__ void add_copies(long long *part, const int *in, long n)
{
    __shared__ int copy[256];
    __shared__ long long of_warp[8];
    long long mine = 0;
    unsigned to = (unsigned)__cvta_generic_to_shared(&copy[threadIdx.x]);
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" :: "r"(to), "l"(in + i) : "memory");
        mine += *(volatile int *)&copy[threadIdx.x];
    }
    mine = sum_of_warp(mine);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    mine = sum_of_warp(threadIdx.x < 8 ? of_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0) part[blockIdx.x] = mine;
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
    add_copies<<<1056, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, 1056);
}
