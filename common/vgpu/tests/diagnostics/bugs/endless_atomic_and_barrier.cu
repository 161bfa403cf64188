// The same with a barrier and an atomic whose result is used: neither decides.
// expect: error: endless loop
// says: comes back again and again
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, const int *flag, int n, int top, int x)
{
    while (x != 5) { // BUG
        x = (x + 2) % 8; // BUG
        const int place = atomicAdd(&out[threadIdx.x], 1); // BUG
        atomicMax(&out[1024 + place % 1024], place); // BUG
        __syncthreads(); // BUG
    }
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
