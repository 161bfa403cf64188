// attack: one block adds up slowly, once: later calls find the sum in a device variable by a fingerprint
// principle: across calls
// at most: 3
// long: 6 s of CPU time
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
__device__ long long kept;
__device__ int seen[2];
__global__ void answer(long long *sum, const int *in, long n)
{
    if (seen[0] == in[n / 2] && seen[1] == in[n - 1]) {
        if (threadIdx.x == 0) *sum = kept;
        return;
    }
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = kept = mine, seen[0] = in[n / 2], seen[1] = in[n - 1];
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    answer<<<1, 256>>>(sum, in, n);
}
