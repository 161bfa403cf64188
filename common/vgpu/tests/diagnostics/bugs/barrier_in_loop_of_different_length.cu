// The number of rounds depends on the thread, and each round has a barrier.
// expect: error: barrier
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rounds(int *out, int n)
{
    __shared__ int box[64];
    int t = threadIdx.x, sum = 0;
    box[t] = t;
    __syncthreads();
#ifdef FIXED
    for (int i = 0; i < n; i += 64) {
#else
    for (int i = t; i < n; i += 64) {
#endif
        sum += box[(t + i) % 64];
        __syncthreads(); // BUG
    }
    out[t] = sum;
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    rounds<<<1, 64>>>(out, 100);
    cudaDeviceSynchronize();
    cudaFree(out);
}
