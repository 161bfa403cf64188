// All lanes store different values to one shared element in one instruction.
// expect: race: within a warp: two lanes write different values
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pick(int *out)
{
    __shared__ int chosen;
#ifdef FIXED
    if (threadIdx.x == 0)
#endif
        chosen = threadIdx.x; // BUG
    __syncthreads();
    out[threadIdx.x] = chosen;
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    pick<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
