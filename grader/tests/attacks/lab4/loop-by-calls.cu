// attack: the loop over levels is a function that calls itself: no branch leads back
// principle: concept faking
// at most: 2
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
__device__ __noinline__ void levels(long long *value, unsigned t, unsigned s)
{
    if (s == 32) return;
    if (t < s) value[t] += value[t + s];
    __syncthreads();
    levels(value, t, s / 2);
}
__device__ __noinline__ long long last_levels(long long *value, unsigned t, unsigned s, long long mine)
{
    if (s == 0) return mine;
    value[t] = mine;
    __syncwarp();
    mine += value[t + s];
    __syncwarp();
    return last_levels(value, t, s / 2, mine);
}
__global__ void tree(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    unsigned t = threadIdx.x;
    long i = blockIdx.x * 512l + t;
    value[t] = (i < n ? in[i] : 0ll) + (i + 256 < n ? in[i + 256] : 0ll);
    __syncthreads();
    levels(value, t, 128);
    if (t >= 32) return;
    long long mine = last_levels(value, t, 16, value[t] + value[t + 32]);
    if (t == 0) part[blockIdx.x] = mine;
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 511) / 512;
    tree<<<blocks, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
