// attack: lanes of one warp still go different ways, by accesses that are switched off and not by branches
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
__global__ void tree(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&value[t]);
    long i = blockIdx.x * 256l + t;
    value[t] = i < n ? in[i] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned s = 1; s < 256; s *= 2) {
        asm volatile("{ .reg .pred p; .reg .b64 a, b; setp.eq.u32 p, %0, 0;\n"
                     "@p ld.shared.s64 a, [%1];\n@p ld.shared.s64 b, [%2];\n@p add.s64 a, a, b;\n@p st.shared.s64 [%1], a; }"
                     :: "r"(t & (2 * s - 1)), "r"(at), "r"(at + 8 * s) : "memory");
        __syncthreads();
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
void reduce_strided(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 255) / 256;
    tree<<<blocks, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
