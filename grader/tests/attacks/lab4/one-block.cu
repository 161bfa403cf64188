// attack: one block adds up everything, at the begin, in the middle and at the end, far slower than where the lab begins
// principle: concept faking
// at most: 7
// long: all of the timed size is executed, for three stages
#include "lab4.h"
__global__ void one_block(long long *sum, const int *in, long n)
{
    __shared__ long long part[32];
    long long mine = 0;
    long n4 = n / 4;
    for (long i = threadIdx.x; i < n4; i += 1024) {
        int4 v = ((const int4 *)in)[i];
        mine += (long long)v.x + v.y + v.z + v.w;
    }
    if (threadIdx.x < n % 4) mine += in[4 * n4 + threadIdx.x];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    mine = part[threadIdx.x];
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch) { one_block<<<1, 1024>>>(sum, in, n); }
void reduce_many(long long *sum, const int *in, long n, long long *scratch) { one_block<<<1, 1024>>>(sum, in, n); }
void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch) { one_block<<<1, 1024>>>(sum, in, n); }
