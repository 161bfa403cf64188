// A block waits for a flag that nobody sets.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wait(volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        while (*flag == 0) // BUG
            ; // BUG
        *out = 1;
    }
#ifdef FIXED
    else
        *flag = 1;
#endif
}

int main()
{
    int *flag, *out;
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait<<<2, 1>>>(flag, out);
    cudaDeviceSynchronize();
    cudaFree(flag);
    cudaFree(out);
}
