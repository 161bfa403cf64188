// More bytes are copied than were allocated.
// expect: error:
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    static int host[512];
    int *data;
    cudaMalloc(&data, 256 * sizeof(int));
#ifdef FIXED
    cudaMemcpy(data, host, 256 * sizeof(int), cudaMemcpyHostToDevice);
#else
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice); // BUG
#endif
    cudaFree(data);
}
