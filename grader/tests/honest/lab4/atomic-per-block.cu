// stage: one_kernel
// points: 11
// No tickets: a memset before, and one atomic per block.
#include "lab4.h"

enum { BLOCK = 256, BLOCKS = 1056 };

__global__ void sums(unsigned long long *sum, const int *in, long n)
{
    __shared__ long long value[BLOCK / 32];
    const int4 *in4 = (const int4 *)in;
    long step = (long)gridDim.x * BLOCK, first = (long)blockIdx.x * BLOCK + threadIdx.x;
    long long mine = 0;
    for (long i = first; i < n / 4; i += step) {
        int4 v = in4[i];
        mine += (long long)v.x + v.y + v.z + v.w;
    }
    if (first < n % 4)
        mine += in[n / 4 * 4 + first];
    for (int s = 16; s > 0; s /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, s);
    if (threadIdx.x % 32 == 0)
        value[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    mine = 0;
    for (int w = 0; w < BLOCK / 32; w++)
        mine += value[w];
    atomicAdd(sum, (unsigned long long)mine);
}

void reduce_one_kernel(long long *sum, const int *in, long n, long long *)
{
    cudaMemsetAsync(sum, 0, sizeof *sum);
    sums<<<BLOCKS, BLOCK>>>((unsigned long long *)sum, in, n);
}
