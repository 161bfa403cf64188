// Source and destination do not fit the direction.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    static int host[64];
    int *data;
    cudaMalloc(&data, sizeof host);
#ifdef FIXED
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
#else
    cudaMemcpy(data, host, sizeof host, cudaMemcpyDeviceToHost); // BUG
#endif
    cudaFree(data);
}
