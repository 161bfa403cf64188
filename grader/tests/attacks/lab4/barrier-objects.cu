// attack: every level waits, at a barrier that is an object in shared memory and not at __syncthreads()
// principle: concept faking
// at most: 2
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
__device__ void wait(unsigned barrier, unsigned phase)
{
    asm volatile("{ .reg .b64 s; .reg .pred p;\nmbarrier.arrive.shared.b64 s, [%0];\nW%=: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W%=; }"
                 :: "r"(barrier), "r"(phase) : "memory");
}
__global__ void tree(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    __shared__ unsigned long long object;
    unsigned t = threadIdx.x, barrier = (unsigned)__cvta_generic_to_shared(&object), phase = 0;
    long i = blockIdx.x * 512l + t;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 256;" :: "r"(barrier) : "memory");
    value[t] = (i < n ? in[i] : 0ll) + (i + 256 < n ? in[i + 256] : 0ll);
    __syncthreads();
    for (unsigned s = 128; s > 0; s /= 2) {
        if (t < s) value[t] += value[t + s];
        wait(barrier, phase);
        phase ^= 1;
    }
    if (t == 0) part[blockIdx.x] = value[0];
}
__global__ void add_up(long long *sum, const long long *part, long n)
{
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += 256) mine += part[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
}
void reduce_last_warp(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 511) / 512;
    tree<<<blocks, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
