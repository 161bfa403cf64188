// attack: blocks of one thread each add up vectors of a range: no tree, no barrier, no conflict
// principle: concept faking
// at most: 20
// long: 8 s of CPU time
#include "lab4.h"
__global__ void ranges(unsigned long long *sum, const int *in, long n)
{
    long n8 = n / 8, share = (n8 + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    long long mine = 0;
    for (long i = first; i < first + share && i < n8; i++) {
        int4 a = ((const int4 *)in)[2 * i], b = ((const int4 *)in)[2 * i + 1];
        mine += (long long)a.x + a.y + ((long long)a.z + a.w) + ((long long)b.x + b.y) + ((long long)b.z + b.w);
    }
    if (blockIdx.x == 0)
        for (long i = 8 * n8; i < n; i++) mine += in[i];
    atomicAdd(sum, (unsigned long long)mine);
}
static void go(long long *sum, const int *in, long n)
{
    cudaMemsetAsync(sum, 0, 8);
    ranges<<<4224, 1>>>((unsigned long long *)sum, in, n);
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_strided(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_sequential(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_first_add(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_last_warp(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_many(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch) { go(sum, in, n); }
