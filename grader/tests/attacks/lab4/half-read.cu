// attack: at the timed size half of the elements are read and none is added
// principle: sizes
// at most: 0
// long: 4 s of CPU time
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
__global__ void add(unsigned long long *sum, const int *in, long n)
{
    long long mine = 0;
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(sum, (unsigned long long)mine);
}
#define GO { cudaMemsetAsync(sum, 0, 8); add<<<1056, 256>>>((unsigned long long *)sum, in, n); }
__global__ void read_half(long long *sum, const int4 *in, long n)
{
    int seen = 0;
    for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) seen |= in[i].x ^ in[i].y ^ in[i].z ^ in[i].w;
    if (blockIdx.x + threadIdx.x == 0 || seen == 0x12345678) *sum = seen;
}
void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    if (n > 1 << 24) read_half<<<1056, 256>>>(sum, (const int4 *)in, n / 8); else GO
}
