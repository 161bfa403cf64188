// attack: lanes that meet at a bank go one after the other, each as an access of its own
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
__device__ long long load_in_turn(long long *at)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(at), lane = threadIdx.x % 32;
    long long value = 0;
#pragma unroll
    for (unsigned k = 0; k < 32; k++)
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p ld.shared.s64 %0, [%3]; }" : "+l"(value) : "r"(lane), "r"(k), "r"(address));
    return value;
}
__global__ void strided(long long *part, const int *in, long n)
{
    __shared__ long long value[256];
    unsigned t = threadIdx.x;
    long i = blockIdx.x * 256l + t;
    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned left = 2 * s * t;
        if (left < 256) {
            long long sum = load_in_turn(&value[left]) + load_in_turn(&value[left + s]);
            unsigned address = (unsigned)__cvta_generic_to_shared(&value[left]), lane = t % 32;
#pragma unroll
            for (unsigned k = 0; k < 32; k++)
                asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %1; @p st.shared.s64 [%2], %3; }" :: "r"(lane), "r"(k), "r"(address), "l"(sum) : "memory");
        }
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
void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
    long blocks = (n + 255) / 256;
    strided<<<blocks, 256>>>(scratch, in, n);
    add_up<<<1, 256>>>(sum, scratch, blocks);
}
