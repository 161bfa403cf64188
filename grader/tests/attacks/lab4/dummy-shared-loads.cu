// attack: loads that conflict stay, and many more without conflicts pull the average down
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
__global__ void strided(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    unsigned t = threadIdx.x;
    long i = blockIdx.x * 256l + t;
    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    long long more = 0;
    for (int k = 0; k < 24; k++) more += ((volatile int *)value)[t % 32];
    if (more == 0x123456789) part[0] = more;
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned left = 2 * s * t;
        if (left < 256) value[left] += value[left + s];
        __syncthreads();
    }
    if (t == 0) part[blockIdx.x] = value[0];
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 255) / 256;
    strided<<<blocks, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
