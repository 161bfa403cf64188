// Two blocks add to one sum without an atomic.
// expect: race: global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *sum, const int *in)
{
    if (threadIdx.x == 0) {
#ifdef FIXED
        atomicAdd(sum, in[blockIdx.x]);
#else
        *sum += in[blockIdx.x]; // BUG
#endif
    }
}

int main()
{
    int host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *sum, *in;
    cudaMalloc(&sum, sizeof(int));
    cudaMalloc(&in, sizeof host);
    cudaMemset(sum, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<8, 32>>>(sum, in);
    cudaDeviceSynchronize();
    cudaFree(sum);
    cudaFree(in);
}
