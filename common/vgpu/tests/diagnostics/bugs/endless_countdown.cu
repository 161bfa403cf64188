// An unsigned counter is never below zero.
// expect: error: endless loop
// says: no way leads out of this loop
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, unsigned n, int step)
{
#ifdef FIXED
    for (unsigned i = n; i-- > 0;)
        out[i * 64 + threadIdx.x] = i;
#else
    for (unsigned i = n; i >= 0; i--) // BUG
        out[(i & 63) * 64 + threadIdx.x] = i; // BUG
#endif
}

int main()
{
    int *out;
    cudaMalloc(&out, 4096 * sizeof(int));
    cudaMemset(out, 0, 4096 * sizeof(int));
#ifdef FIXED
    fill<<<1, 64>>>(out, 64, 1);
#else
    fill<<<4, 64>>>(out, 64, 0);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
