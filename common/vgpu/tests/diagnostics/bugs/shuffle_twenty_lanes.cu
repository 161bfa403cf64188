// Twenty lanes shuffle down by four: the last four read from lanes outside the mask, and store what they got.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void shift(int *out)
{
    int t = threadIdx.x;
#ifdef FIXED
    if (t < 20) {
        int y = __shfl_down_sync(0x000fffffu, t, 4);
        out[t] = t < 16 ? y : t;
    }
#else
    if (t < 20)
        out[t] = __shfl_down_sync(0x000fffffu, t, 4); // BUG
#endif
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    shift<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
