// The counters are set to 0 behind the kernel that counts in them.
// expect: error: memset after a kernel has read what it sets
// says: work of one stream runs in the order of the calls
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 1000, BINS = 256 };

__global__ void count(unsigned *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        atomicAdd(&counts[i % BINS], 1u);
}

int main()
{
    unsigned *counts, host[BINS];
    cudaMalloc(&counts, BINS * sizeof *counts);
#ifdef FIXED
    cudaMemset(counts, 0, BINS * sizeof *counts);
#endif
    count<<<(N + 255) / 256, 256>>>(counts);
#ifndef FIXED
    cudaMemset(counts, 0, BINS * sizeof *counts); // BUG
#endif
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDefault);
    puts(host[0] == 4 ? "ok" : "wrong");
    cudaFree(counts);
}
