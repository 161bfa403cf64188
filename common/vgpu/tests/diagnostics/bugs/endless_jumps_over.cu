// Steps of 2 from an odd number never meet 0: nothing repeats before all numbers are through.
// expect: error: endless loop
// says: its counter jumps over the value that would end it
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, int n)
{
    for (int i = n; i != 0; i -= 2) // BUG
        out[threadIdx.x] += i; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(out, 0, 32 * sizeof(int));
#ifdef FIXED
    fill<<<1, 32>>>(out, 1000);
#else
    fill<<<1, 32>>>(out, 1001);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
