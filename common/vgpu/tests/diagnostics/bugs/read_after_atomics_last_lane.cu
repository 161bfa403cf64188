// The last thread reads the sum as soon as it has added its own part.
// expect: race: read after write without a barrier
#include <cuda_runtime.h>

__global__ void sum(int *out)
{
    __shared__ int part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, (int)threadIdx.x);
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == blockDim.x - 1)
        out[blockIdx.x] = part; // BUG
}

int main()
{
    int *out;
    cudaMalloc(&out, 2 * sizeof(int));
    sum<<<2, 128>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
