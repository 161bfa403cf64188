// Threads read what other warps are still writing.
// expect: race: shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x;
    tile[t] = data[t]; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    data[t] = tile[255 - t]; // BUG
}

int main()
{
    int host[256], *data;
    for (int i = 0; i < 256; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 256>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
