// A histogram with 16 bins gets values up to 16.
// expect: error: out of bounds write in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void histogram(unsigned *bins, const unsigned char *data)
{
    unsigned value = data[threadIdx.x];
#ifdef FIXED
    value = value > 15 ? 15 : value;
#endif
    atomicAdd(&bins[value], 1u); // BUG
}

int main()
{
    unsigned char host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i % 17;
    unsigned *bins;
    unsigned char *data;
    cudaMalloc(&bins, 16 * sizeof(unsigned));
    cudaMalloc(&data, 64);
    cudaMemset(bins, 0, 16 * sizeof(unsigned));
    cudaMemcpy(data, host, 64, cudaMemcpyHostToDevice);
    histogram<<<1, 64>>>(bins, data);
    cudaDeviceSynchronize();
    cudaFree(bins);
    cudaFree(data);
}
