// The bins of a histogram are counted up without being set to zero.
// expect: error: read of uninitialised shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void histogram(unsigned *out, const unsigned char *data)
{
    __shared__ unsigned bins[32];
#ifdef FIXED
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
#endif
    atomicAdd(&bins[data[threadIdx.x] & 31], 1u); // BUG
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]); // BUG
}

int main()
{
    unsigned *out;
    unsigned char *data;
    cudaMalloc(&out, 32 * sizeof(unsigned));
    cudaMalloc(&data, 128);
    cudaMemset(out, 0, 32 * sizeof(unsigned));
    cudaMemset(data, 3, 128);
    histogram<<<1, 128>>>(out, data);
    cudaDeviceSynchronize();
    cudaFree(out);
    cudaFree(data);
}
