// Threads of one block exchange values through global memory without a barrier.
// expect: race: global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void shift(int *data)
{
    int t = threadIdx.x;
    data[t] = t * t; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    int next = data[(t + 1) % 128]; // BUG
    __syncthreads();
    data[t] = next;
}

int main()
{
    int *data;
    cudaMalloc(&data, 128 * sizeof(int));
    cudaMemset(data, 0, 128 * sizeof(int));
    shift<<<1, 128>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
