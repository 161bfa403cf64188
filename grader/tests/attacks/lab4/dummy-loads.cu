// attack: the tree stays in global memory; the input is loaded six times over, so that its stores look few
// principle: concept faking
// at most: 2
// long: five minutes: thousands of launches
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
__global__ void tree(long long *part, long long *work, const int *in, long n, int zero)
{
    long i = blockIdx.x * 256l + threadIdx.x;
    long long more = 0;
    for (int k = 0; k < 8; k++) more += i < n ? in[(i ^ k * 8) < n ? i ^ k * 8 : i] : 0;
    work[i] = (i < n ? in[i] : 0) + more * zero;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (threadIdx.x % (2 * s) == 0) work[i] += work[i + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = work[i];
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    long slice = 1 << 16, blocks = (n + 255) / 256;
    long long *part = scratch + (n < slice ? 256 * blocks : slice);
    if (n < slice) tree<<<blocks, 256>>>(part, scratch, in, n, 0);
    else for (long i = 0; i < n; i += slice)
        tree<<<((n - i < slice ? n - i : slice) + 255) / 256, 256>>>(part + i / 256, scratch, in + i, n - i < slice ? n - i : slice, 0);
    add_up<<<1, 256>>>(sum, part, blocks);
}
