// Half of the warp calls a shuffle that names all of it: one mistake, told once.
// expect: error: warp-synchronous call misses lanes
// never: inactive lane
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
    out[threadIdx.x] = value;
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    add_next<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
