// The mask names the lower half of the warp, but all lanes call.
// expect: error: mask
#include <cstdio>
#include <cuda_runtime.h>

__global__ void first(int *out)
{
#ifdef FIXED
    out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
#else
    out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x, 0); // BUG
#endif
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    first<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
