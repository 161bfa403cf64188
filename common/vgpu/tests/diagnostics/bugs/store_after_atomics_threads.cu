// Each block's counter in global memory is cleared for the next use while threads of the block still count.
// expect: race: a plain store against an atomic of another thread
#include <cuda_runtime.h>

__global__ void count(int *counters, int *out)
{
    int *mine = counters + blockIdx.x;
    atomicAdd(mine, 1);
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 255)
        *mine = 0; // BUG
}

int main()
{
    int *counters, *out;
    cudaMalloc(&counters, 4 * sizeof(int));
    cudaMalloc(&out, 4 * sizeof(int));
    cudaMemset(counters, 0, 4 * sizeof(int));
    count<<<4, 256>>>(counters, out);
    cudaDeviceSynchronize();
    cudaFree(counters);
    cudaFree(out);
}
