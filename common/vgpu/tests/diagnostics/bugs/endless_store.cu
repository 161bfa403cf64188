// A grid-stride loop with a step of zero stores the same again and again.
// expect: error: endless loop
// says: comes back again and again
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, unsigned n, int step)
{
    for (int i = threadIdx.x; i < (int)n; i += step * (int)blockDim.x) // BUG
        out[i] = i + (int)n; // BUG
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
