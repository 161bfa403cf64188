// attack: only the first blocks add while loading; those behind them build trees in global memory
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
__global__ void some(long long *part, long long *work, const int *in, long n)
{
    long i = blockIdx.x * 512l + threadIdx.x;
    long long low = i < n ? in[i] : 0, high = i + 256 < n ? in[i + 256] : 0;
    if (blockIdx.x < 20000) {
        low = block_sum(low + high);
    } else {
        long long *mine = work + blockIdx.x % 64 * 256;
        for (int k = 0; k < 16; k++) mine[threadIdx.x * 8 % 256] = low + k;
        low = block_sum(low + high);
    }
    if (threadIdx.x == 0) part[blockIdx.x] = low;
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_first_add(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 511) / 512;
    some<<<blocks, 256>>>(scratch, scratch + blocks, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
