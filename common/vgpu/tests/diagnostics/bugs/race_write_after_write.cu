// Every warp stores its own result to the same element.
// expect: race: shared memory: two threads write different values
#include <cstdio>
#include <cuda_runtime.h>

__global__ void last(int *out)
{
    __shared__ int result[4];
    int t = threadIdx.x;
    if (t % 32 == 0) {
#ifdef FIXED
        result[t / 32] = t;
#else
        result[0] = t; // BUG
#endif
    }
    __syncthreads();
    if (t == 0)
        *out = result[0];
}

int main()
{
    int *out;
    cudaMalloc(&out, sizeof(int));
    last<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
