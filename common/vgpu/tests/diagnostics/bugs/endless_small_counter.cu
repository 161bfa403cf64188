// A counter of 8 bits never reaches 300, while what is stored grows.
// expect: error: endless loop
// says: comes back again and again
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, const int *flag, int n, int top, int x)
{
    for (int i = 0; i < top; i = (i + 1) & 255) // BUG
        out[(i % n) * 32 + threadIdx.x] += 1; // BUG
}

int main()
{
    int *out, *flag, value = 0;
    cudaMalloc(&out, 4096 * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(out, 0, 4096 * sizeof(int));
#ifdef FIXED
    value = 1;
    cudaMemcpy(flag, &value, sizeof(int), cudaMemcpyHostToDevice);
    fill<<<1, 32>>>(out, flag, 64, 200, 1);
#else
    cudaMemcpy(flag, &value, sizeof(int), cudaMemcpyHostToDevice);
    fill<<<1, 32>>>(out, flag, 64, 300, 0);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(flag);
}
