// attack: the tree in shared memory, and shuffles whose results nobody needs
// principle: concept faking
// at most: 3
// long: 4 s of CPU time
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
    long long mine = 0;
    long n4 = n / 4;
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n4; i += gridDim.x * 256l) {
        int4 v = ((const int4 *)in)[i];
        mine += (long long)v.x + v.y + v.z + v.w;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) mine += in[4 * n4 + threadIdx.x];
    for (int k = 0; k < 64; k++) mine = __shfl_sync(~0u, mine, (threadIdx.x ^ 0) % 32);
    mine = block_sum(mine);
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
    add_shuffling<<<1056, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, 1056);
}
