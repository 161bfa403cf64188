// Warps that meet at a barrier in every round share the budget of their block.
// expect: error: limit of the virtual GPU: too many instructions in one block
// says: the warps of this block have executed
// never: in one warp
#include <cstdio>
#include <cuda_runtime.h>

__global__ void turn(int *out, int end)
{
    __shared__ int next;
    int i = 0;
    if (threadIdx.x == 0)
        next = 0;
    __syncthreads();
    while (i != end) { // BUG
        __syncthreads(); // BUG
        if (threadIdx.x == 0) // BUG
            next += 2; // BUG
        __syncthreads(); // BUG
        i = next; // BUG
    }
    out[threadIdx.x] = i;
}

int main()
{
    int *out;
    cudaMalloc(&out, 256 * sizeof(int));
#ifdef FIXED
    turn<<<1, 256>>>(out, 1000);
#else
    turn<<<1, 256>>>(out, 1001);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
