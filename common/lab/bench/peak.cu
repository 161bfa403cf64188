/* peak.cu - multiply-adds of floats, as many as the GPU can do: eight chains in each thread hide each other's latency. */
#include <cuda_runtime.h>

#include "lab/bench/bench.h"

enum { THREADS = 256, BLOCKS_PER_SM = 8, CHAINS = 8, ROUNDS = 8192 };

__global__ void bench_fma_kernel(float *out, float a, float b)
{
    float chain[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        chain[i] = a * i + threadIdx.x;
#pragma unroll 8
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CHAINS; i++)
            chain[i] = fmaf(chain[i], a, b);
    float sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static int blocks(void)
{
    int sms = 1;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    return BLOCKS_PER_SM * sms;
}

size_t bench_fma_bytes(void)
{
    return sizeof(float) * THREADS * (size_t)blocks();
}

double bench_fma_operations(void)
{
    return 2.0 * CHAINS * ROUNDS * THREADS * blocks();
}

void bench_fma(void *out)
{
    bench_fma_kernel<<<blocks(), THREADS>>>((float *)out, 0.999f, 0.001f);
}
