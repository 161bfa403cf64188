// attack: all barriers stay, as bar.red and as a hand-made flag in shared memory
// principle: concept faking
// at most: 2
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
#define LAST 0
#define BARRIER { int all; asm volatile("{.reg .pred p, q; setp.eq.u32 p, 0, 0; barrier.cta.red.and.aligned.pred q, 1, 256, p; selp.s32 %0, 1, 0, q;}" : "=r"(all) :: "memory"); if (!all) return; }

__global__ void tree(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    unsigned t = threadIdx.x;
    long i = blockIdx.x * 512l + t;
    value[t] = (i < n ? in[i] : 0ll) + (i + 256 < n ? in[i + 256] : 0ll);
    BARRIER
    for (unsigned s = 128; s > LAST; s /= 2) {
        if (t < s) value[t] += value[t + s];
        BARRIER
    }
#if LAST
    if (t < 32) {
        long long mine = value[t] + value[t + 32];
        for (unsigned s = 16; s > 0; s /= 2) {
            value[t] = mine;
            __syncwarp();
            mine += value[t + s];
            __syncwarp();
        }
        if (t == 0) value[0] = mine;
    }
#endif
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
