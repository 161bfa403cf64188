// attack: counters of 8 bits, four to a word, which uniform data never overflows
// principle: right only for the data that is usual
// at most: 0
#include "lab10.h"

enum { BLOCK = 256 };

__device__ void count_byte(unsigned *own, unsigned v)
{
    atomicAdd(&own[v / 4], 1u << 8 * (v % 4));
}

__global__ void count(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned fours[8][64];
    for (int i = threadIdx.x; i < 8 * 64; i += BLOCK)
        fours[0][i] = 0;
    __syncthreads();
    unsigned *own = fours[threadIdx.x / 32];
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 16; i += gridDim.x * BLOCK) {
        uint4 words = ((const uint4 *)in)[i];
        for (int k = 0; k < 4; k++) {
            count_byte(own, words.x >> 8 * k & 255);
            count_byte(own, words.y >> 8 * k & 255);
            count_byte(own, words.z >> 8 * k & 255);
            count_byte(own, words.w >> 8 * k & 255);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        count_byte(own, in[n - 1 - threadIdx.x]);
    __syncthreads();
    unsigned sum = 0;
    for (int copy = 0; copy < 8; copy++)
        sum += fours[copy][threadIdx.x / 4] >> 8 * (threadIdx.x % 4) & 255;
    atomicAdd(&counts[threadIdx.x], sum);
}

void histogram_per_warp(unsigned *counts, const unsigned char *in, int n)
{
    int blocks = (n + 16 * BLOCK - 1) / (16 * BLOCK);
    cudaMemsetAsync(counts, 0, 256 * sizeof *counts);
    count<<<blocks < 1056 ? blocks : 1056, BLOCK>>>(counts, in, n);
}
