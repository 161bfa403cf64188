// A thread's own array has eight elements; the index goes to eight.
// expect: error: out of bounds
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pick(int *out, const int *index)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = i * (int)threadIdx.x;
    int at = index[threadIdx.x];
#ifdef FIXED
    at &= 7;
#endif
    out[threadIdx.x] = own[at]; // BUG
}

int main()
{
    int host[32];
    for (int i = 0; i < 32; i++)
        host[i] = i % 9;
    int *out, *index;
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&index, sizeof host);
    cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
    pick<<<1, 32>>>(out, index);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(index);
}
