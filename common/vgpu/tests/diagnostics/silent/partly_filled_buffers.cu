// Buffers that are set, copied or written in parts, and only those parts are read.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void half(int *data, int n)
{
    if (threadIdx.x < n)
        data[threadIdx.x] = data[threadIdx.x] + data[64 + threadIdx.x];
}

__global__ void fill(int *data) { data[threadIdx.x] = threadIdx.x; }

int main()
{
    int host[32], *data, *pitched, result[32];
    size_t pitch;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    cudaMemcpy(data + 64, host, sizeof host, cudaMemcpyHostToDevice);
    half<<<1, 64>>>(data, 32);
    cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
    cudaMallocPitch(&pitched, &pitch, 10 * sizeof(int), 3);
    cudaMemcpy2D(pitched, pitch, host, 40, 40, 3, cudaMemcpyHostToDevice);
    fill<<<1, 10>>>((int *)((char *)pitched + pitch));
    half<<<1, 64>>>(data, 10);
    puts(result[31] == 31 ? "ok" : "wrong");
    cudaFree(data);
    cudaFree(pitched);
}
