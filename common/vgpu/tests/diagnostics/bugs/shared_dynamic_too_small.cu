// The launch gives bytes for half of the elements.
// expect: error: out of bounds write in shared memory
#include <cstdio>
#include <cuda_runtime.h>

extern __shared__ float buffer[];

__global__ void reverse(float *data)
{
    int t = threadIdx.x, n = blockDim.x;
    buffer[t] = data[t]; // BUG
    __syncthreads();
    data[t] = buffer[n - 1 - t]; // BUG
}

int main()
{
    float *data;
    cudaMalloc(&data, 64 * sizeof(float));
    cudaMemset(data, 0, 64 * sizeof(float));
#ifdef FIXED
    reverse<<<1, 64, 64 * sizeof(float)>>>(data);
#else
    reverse<<<1, 64, 32 * sizeof(float)>>>(data);
#endif
    cudaDeviceSynchronize();
    cudaFree(data);
}
