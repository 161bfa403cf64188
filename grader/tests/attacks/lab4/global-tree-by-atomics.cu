// attack: the tree stays in global memory, its loads and stores are atomics
// principle: concept faking
// at most: 2
// long: all of the timed size is executed
#include "lab4.h"
__global__ void tree(unsigned long long *sum, unsigned long long *work, const int *in, long n, long first)
{
    long j = blockIdx.x * 256l + threadIdx.x, i = first + j;
    atomicExch(&work[j], (unsigned long long)(long long)(i < n ? in[i] : 0));
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (threadIdx.x % (2 * s) == 0) atomicAdd(&work[j], atomicAdd(&work[j + s], 0));
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, atomicAdd(&work[j], 0));
}
void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    cudaMemsetAsync(sum, 0, 8);
    for (long first = 0; first < n; first += n / 256 * 256 ? n / 256 * 256 < 1 << 20 ? n / 256 * 256 : 1 << 20 : 256) {
        long left = n - first < 1 << 20 ? n - first : 1 << 20;
        tree<<<(left + 255) / 256, 256>>>((unsigned long long *)sum, (unsigned long long *)scratch, in, n, first);
        if (n <= 1 << 20) break;
    }
}
