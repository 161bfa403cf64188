// A kernel changes a __constant__ variable through a pointer.
// expect: error: read-only
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int limit;

__global__ void change(const int *pointer, int *out)
{
#ifdef FIXED
    *out = *pointer;
#else
    *(int *)pointer = 3; // BUG
#endif
}

int main()
{
    int *pointer, *out;
    cudaGetSymbolAddress((void **)&pointer, limit);
    cudaMalloc(&out, sizeof(int));
    change<<<1, 1>>>(pointer, out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
