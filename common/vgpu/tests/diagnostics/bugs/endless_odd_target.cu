// Even numbers never become 5, though another counter and a sum move on.
// expect: error: endless loop
// says: comes back again and again
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, const int *flag, int n, int top, int x)
{
    int k = 0, sum = 0;
    while (x != 5) { // BUG
        x = (x + 2) % 8; // BUG
        sum += out[(k++ % n) * 32 + threadIdx.x]; // BUG
    }
    out[threadIdx.x] = sum;
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
