// attack: blocks of one thread each add up a range: no tree, no barrier, no conflict
// principle: concept faking
// at most: 7
// long: 5 s of CPU time
#include "lab4.h"
__global__ void ranges(unsigned long long *sum, const int *in, long n)
{
    long share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    long long mine = 0;
    for (long i = first; i < first + share && i < n; i++) mine += in[i];
    atomicAdd(sum, (unsigned long long)mine);
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch) { cudaMemsetAsync(sum, 0, 8); ranges<<<4096, 1>>>((unsigned long long *)sum, in, n); }
void reduce_many(long long *sum, const int *in, long n, long long *scratch) { cudaMemsetAsync(sum, 0, 8); ranges<<<4096, 1>>>((unsigned long long *)sum, in, n); }
void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch) { cudaMemsetAsync(sum, 0, 8); ranges<<<4096, 1>>>((unsigned long long *)sum, in, n); }
