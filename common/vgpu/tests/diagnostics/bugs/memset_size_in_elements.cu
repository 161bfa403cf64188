// A memset takes bytes, and gets the number of elements.
// expect: error: read of uninitialised global memory: `counts`
// says: only 256 of 1024 bytes were written before the launch, as many bytes as there are elements
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 100, BINS = 256 };

__global__ void count(unsigned *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        atomicAdd(&counts[i * 7 % BINS], 1u); // BUG
}

int main()
{
    unsigned *counts, host[BINS];
    cudaMalloc(&counts, BINS * sizeof *counts);
#ifdef FIXED
    cudaMemset(counts, 0, BINS * sizeof *counts);
#else
    cudaMemset(counts, 0, BINS);
#endif
    count<<<1, 128>>>(counts);
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDefault);
    puts(host[7] == 1 ? "ok" : "wrong");
    cudaFree(counts);
}
