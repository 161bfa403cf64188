// stage: strided
// points: 11
// Small blocks: five of six levels lie in one warp.
#include "lab4.h"

enum { BLOCK = 64 };

template <typename number>
__global__ void tree(long long *partial, const number *in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * BLOCK + t;
    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        if (2 * s * t < BLOCK)
            value[2 * s * t] += value[2 * s * t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_strided(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + BLOCK - 1) / BLOCK;
    tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch, in, n);
    while (blocks > 1) {
        long count = blocks;
        blocks = (count + BLOCK - 1) / BLOCK;
        tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch + count, scratch, count);
        scratch += count;
    }
}
