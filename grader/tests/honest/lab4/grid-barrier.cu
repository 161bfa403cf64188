// stage: one_kernel
// points: 11
// long: 10 s of CPU time
// A cooperative launch: the whole grid meets at a barrier, then block 0 adds up what is there.
#include <cooperative_groups.h>

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

__device__ long long sum_of_warp(long long mine)
{
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_down_sync(~0u, mine, s);
    return mine;
}

__device__ long long sum_of_block(long long mine)
{
    __shared__ long long of_warp[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    mine = sum_of_warp(mine);
    if (lane == 0)
        of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0)
        mine = sum_of_warp(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    return mine;
}

__global__ void add(long long *sum, const int *in, long n, long long *part)
{
    long long mine = sum_of_block(sum_of_share(in, n));
    if (threadIdx.x == 0)
        part[blockIdx.x] = mine;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x > 0)
        return;
    mine = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += BLOCK)
        mine += part[i];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        *sum = mine;
}

void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch)
{
    int sms, per_sm;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, add, BLOCK, 0);
    void *arguments[] = {&sum, &in, &n, &scratch};
    cudaLaunchCooperativeKernel((const void *)add, dim3(sms * per_sm), dim3(BLOCK), arguments, 0, 0);
}
