// attack: shared memory is taken for zero at the begin, as nobody promised
// principle: numbers
// at most: 0
#include "lab4.h"
__global__ void trusting(unsigned long long *sum, const int *in, long n)
{
    __shared__ unsigned long long total;
    long i = blockIdx.x * 256l + threadIdx.x;
    if (i < n) atomicAdd(&total, (unsigned long long)(long long)in[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, total);
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    cudaMemsetAsync(sum, 0, 8);
    trusting<<<(n + 255) / 256, 256>>>((unsigned long long *)sum, in, n);
}
