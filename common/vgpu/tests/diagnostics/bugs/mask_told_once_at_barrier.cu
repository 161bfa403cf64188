// Half of a warp shuffles with all of it while the rest waits at a barrier: one mistake, told once.
// expect: error: warp-synchronous call misses lanes
// never: does not take part
#include <cuda_runtime.h>

__global__ void add_next(int *out)
{
    int value = threadIdx.x;
#ifdef FIXED
    const int next = __shfl_down_sync(0xffffffff, value, 4);
    if (threadIdx.x < 16)
        value += next;
#else
    if (threadIdx.x < 16)
        value += __shfl_down_sync(0xffffffff, value, 4); // BUG
#endif
    __syncthreads();
    out[threadIdx.x] = value;
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    add_next<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
