// A recursion without an end.
// expect: error: stack overflow
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
    cudaMalloc(&out, sizeof(int));
#ifdef FIXED
    recurse<<<1, 1>>>(out, 10);
#else
    recurse<<<1, 1>>>(out, -1);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
