// stage: strided
// points: 11
// The lowest threads work, found by a quotient in every level: slow, and not divergent.
#include "lab4.h"

enum { BLOCK = 256 };

template <typename number>
__global__ void tree(long long *partial, const number *in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * BLOCK + t;
    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t < blockDim.x / (2 * s))
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
