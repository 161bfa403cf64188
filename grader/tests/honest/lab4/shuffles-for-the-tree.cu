// stage: sequential
// points: 11
// No bank conflicts because warps add up with shuffles: shared memory holds one number per warp.
#include "lab4.h"

enum { BLOCK = 256 };

__device__ long long of_warp(long long mine)
{
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

template <typename number>
__global__ void tree(long long *partial, const number *in, long n)
{
    __shared__ long long value[BLOCK / 32];
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    long long mine = of_warp(i < n ? in[i] : 0);
    if (threadIdx.x % 32 == 0)
        value[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = of_warp(threadIdx.x < BLOCK / 32 ? value[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = mine;
    }
}

void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + BLOCK - 1) / BLOCK;
    tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch, in, n);
    while (blocks > 1) {
        long count = blocks;
        blocks = (count + BLOCK - 1) / BLOCK;
        tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch + count, scratch, count);
        scratch += count;
    }
}
