// stage: unrolled
// points: 10
// long: 9 s of CPU time
// The levels are a template that calls itself for half of the threads.
#include "lab4.h"

enum { BLOCK = 256 };

template <unsigned s>
__device__ void level(long long *value, unsigned t)
{
    if (t < s)
        value[t] += value[t + s];
    __syncthreads();
    if constexpr (s > 32)
        level<s / 2>(value, t);
}

template <typename number>
__global__ void tree(long long *part, const number *in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * (2 * BLOCK) + t;
    long long low = i < n ? in[i] : 0, high = i + BLOCK < n ? in[i + BLOCK] : 0;
    value[t] = low + high;
    __syncthreads();
    level<BLOCK / 2>(value, t);
    if (t >= 32)
        return;
    long long mine = value[t];
#pragma unroll
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_down_sync(~0u, mine, s);
    if (t == 0)
        part[blockIdx.x] = mine;
}

void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch, in, n);
    for (long count = blocks; count > 1; count = blocks) {
        blocks = (count + 2 * BLOCK - 1) / (2 * BLOCK);
        long long *next = blocks == 1 ? sum : scratch + count;
        tree<<<blocks, BLOCK>>>(next, scratch, count);
        scratch += count;
    }
}
