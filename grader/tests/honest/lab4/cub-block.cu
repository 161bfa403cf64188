// stage: shuffle
// points: 12
// long: 6 s of CPU time
// The block is summed up by CUB.
#include <cub/block/block_reduce.cuh>

#include "lab4.h"

enum { BLOCK = 256, BLOCKS = 1056 };

__device__ long long sum_of_share(const int *in, long n)
{
    const int4 *in4 = (const int4 *)in;
    long n4 = n / 4, step = (long)gridDim.x * blockDim.x, first = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long long mine = 0;
#pragma unroll 4
    for (long i = first; i < n4; i += step) {
        int4 v = in4[i];
        mine += (long long)v.x + v.y + ((long long)v.z + v.w);
    }
    if (first < n % 4)
        mine += in[4 * n4 + first];
    return mine;
}

__device__ long long sum_of_block(long long mine)
{
    using reduction = cub::BlockReduce<long long, BLOCK>;
    __shared__ typename reduction::TempStorage room;
    return reduction(room).Sum(mine);
}

__global__ void add(long long *part, const int *in, long n)
{
    long long mine = sum_of_block(sum_of_share(in, n));
    if (threadIdx.x == 0)
        part[blockIdx.x] = mine;
}

__global__ void add_partials(long long *sum, const long long *part, int count)
{
    long long mine = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        mine += part[i];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        *sum = mine;
}

void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
    add<<<BLOCKS, BLOCK>>>(scratch, in, n);
    add_partials<<<1, BLOCK>>>(sum, scratch, BLOCKS);
}
