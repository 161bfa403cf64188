// stage: first_add
// points: 11
// long: 9 s of CPU time
// Four loads per thread instead of two.
#include "lab4.h"

enum { BLOCK = 256, EACH = 4 };

template <typename number>
__global__ void tree(long long *partial, const number *in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * (EACH * BLOCK) + t;
    long long mine = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        mine += i + k * BLOCK < n ? in[i + k * BLOCK] : 0;
    value[t] = mine;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            value[t] += value[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_first_add(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + EACH * BLOCK - 1) / (EACH * BLOCK);
    tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch, in, n);
    while (blocks > 1) {
        long count = blocks;
        blocks = (count + EACH * BLOCK - 1) / (EACH * BLOCK);
        tree<<<blocks, BLOCK>>>(blocks == 1 ? sum : scratch + count, scratch, count);
        scratch += count;
    }
}
