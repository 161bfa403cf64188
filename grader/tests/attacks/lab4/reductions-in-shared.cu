// attack: every thread adds to one place in shared memory; shuffles are for show
// principle: concept faking
// at most: 3
// long: 7 s of CPU time
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
__global__ void add_shuffling(long long *part, const int *in, long n)
{
    __shared__ unsigned long long total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    long long mine = 0;
    long n4 = n / 4, step = gridDim.x * (long)blockDim.x, i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    const int4 *in4 = (const int4 *)in;
    for (; i + 15 * step < n4; i += 16 * step) {
        int4 v[16];
#pragma unroll
        for (int k = 0; k < 16; k++) v[k] = in4[i + k * step];
#pragma unroll
        for (int k = 0; k < 16; k++) mine += (long long)v[k].x + v[k].y + ((long long)v[k].z + v[k].w);
    }
    for (; i < n4; i += step) mine += (long long)in4[i].x + in4[i].y + ((long long)in4[i].z + in4[i].w);
    if (blockIdx.x == 0 && threadIdx.x < n % 4) mine += in[4 * n4 + threadIdx.x];
    for (int k = 0; k < 32; k++) mine = __shfl_sync(~0u, mine, threadIdx.x % 32);
    atomicAdd(&total, (unsigned long long)mine);
    __syncthreads();
    if (threadIdx.x == 0) part[blockIdx.x] = total;
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
    add_shuffling<<<1056, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, 1056);
}
