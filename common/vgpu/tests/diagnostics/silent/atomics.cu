// Histograms with shared and global atomics, a compare-and-swap maximum, and a look before the atomic.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void histogram(unsigned *bins, int *best, const unsigned char *data, int n)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[data[i] % 64], 1u);
        if (data[i] > *best)
            atomicMax(best, (int)data[i]);
    }
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    static unsigned char host[4096];
    unsigned *bins, result[64];
    unsigned char *data;
    int *best, most;
    for (int i = 0; i < 4096; i++)
        host[i] = (i * 7) % 256;
    cudaMalloc(&bins, sizeof result);
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&best, sizeof(int));
    cudaMemset(bins, 0, sizeof result);
    cudaMemset(best, 0, sizeof(int));
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    histogram<<<8, 128>>>(bins, best, data, 4096);
    cudaMemcpy(result, bins, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&most, best, sizeof(int), cudaMemcpyDeviceToHost);
    puts(result[0] == 64 && result[63] == 64 && most == 255 ? "ok" : "wrong");
    cudaFree(bins);
    cudaFree(data);
    cudaFree(best);
}
