// A thread's own table is only filled for even indexes.
// expect: error: read of uninitialised local memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void table(int *out, const int *index)
{
    int own[16];
#ifdef FIXED
    for (int i = 0; i < 16; i++)
#else
    for (int i = 0; i < 16; i += 2)
#endif
        own[index[i]] = i;
    out[threadIdx.x] = own[index[threadIdx.x & 15]]; // BUG
}

int main()
{
    int host[16], *out, *index;
    for (int i = 0; i < 16; i++)
        host[i] = i;
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMalloc(&index, sizeof host);
    cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
    table<<<1, 32>>>(out, index);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(index);
}
