// A recursion that ends, with a stack that the program has asked for, but deeper than the virtual GPU goes.
// expect: error: limit of the virtual GPU: too many calls within calls
// says: 8192 calls are under way
// never: stack overflow
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ int depth(int n, int limit)
{
    if (n == limit)
        return 0;
    return 1 + depth(n + 1, limit) * 2; // BUG
}

__global__ void recurse(int *out, int limit) { *out = depth(0, limit); }

int main()
{
    int *out;
    cudaDeviceSetLimit(cudaLimitStackSize, 400000);
    cudaMalloc(&out, sizeof(int));
#ifdef FIXED
    recurse<<<1, 1>>>(out, 1000);
#else
    recurse<<<1, 1>>>(out, 9000);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
