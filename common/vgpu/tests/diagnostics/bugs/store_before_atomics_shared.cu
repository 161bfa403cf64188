// A sum in shared memory is set to zero by one thread, and others add before a barrier.
// expect: race: a plain store against an atomic of another thread
// says: thread (0,0,0) stored
#include <cuda_runtime.h>

__global__ void count(int *out)
{
    __shared__ int part;
    if (threadIdx.x == 0)
        part = 0;
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&part, 1); // BUG
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = part;
}

int main()
{
    int *out;
    cudaMalloc(&out, 4 * sizeof(int));
    count<<<4, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
