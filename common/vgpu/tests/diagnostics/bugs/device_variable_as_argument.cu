// A kernel gets the name of a constant array, which in host code is an array of the host's.
// expect: error: host pointer read in a kernel
// says: `taps` is a device variable; its name in host code is not its address on the GPU. Do not pass it: use `taps[k]` in the kernel.
// never: a pointer from malloc
#include <cstdio>
#include <cuda_runtime.h>

enum { TAPS = 64 };

__constant__ float taps[TAPS];

#ifdef FIXED
__global__ void add_up(float *out)
#else
__global__ void add_up(float *out, const float *taps)
#endif
{
    float sum = 0;
    for (int k = TAPS / 2; k < TAPS; k++)
        sum += taps[k]; // BUG
    *out = sum;
}

int main()
{
    float *out;
    cudaMalloc(&out, sizeof *out);
#ifdef FIXED
    add_up<<<1, 1>>>(out);
#else
    add_up<<<1, 1>>>(out, taps);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
