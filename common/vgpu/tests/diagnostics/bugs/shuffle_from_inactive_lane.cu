// Half a warp shuffles from lanes that do not take part.
// expect: error: shuffle
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(int *out)
{
    int t = threadIdx.x, x = t;
#ifdef FIXED
    int y = __shfl_down_sync(0xffffffffu, x, 16);
    if (t < 16)
        x += y;
#else
    if (t < 16)
        x += __shfl_down_sync(0x0000ffffu, x, 16); // BUG
#endif
    out[t] = x;
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    sum<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
