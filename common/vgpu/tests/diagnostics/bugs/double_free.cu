// The same pointer is freed twice.
// expect: error: free
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    int *data;
    cudaMalloc(&data, 128);
    cudaFree(data);
#ifndef FIXED
    cudaFree(data); // BUG
#endif
}
