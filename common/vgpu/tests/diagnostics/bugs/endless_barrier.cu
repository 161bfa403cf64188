// All warps of a block go round for ever, with a barrier in the loop.
// expect: error: endless loop
// says: no way leads out of this loop
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, unsigned n, int step)
{
#ifdef FIXED
    for (unsigned i = 0; i < n; i++) {
#else
    for (unsigned i = 0;; i++) { // BUG
#endif
        atomicAdd(&out[threadIdx.x], (int)i); // BUG
        __syncthreads(); // BUG
    }
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
