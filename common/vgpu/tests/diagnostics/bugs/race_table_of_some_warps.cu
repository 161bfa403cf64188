// Half of the warps fill a table, and one thread reads an element that its own warp has written: the barrier that is missing is
// the block's, whoever is seen without it first.
// expect: race: within a warp: read after write
// says: a barrier is missing between the write and this read: __syncthreads()
// never: a __syncwarp() is missing
#include <cuda_runtime.h>

__global__ void look_up(int *out, const int *in, int entry)
{
    __shared__ int table[128];
    if (threadIdx.x < 128)
        table[threadIdx.x] = in[threadIdx.x];
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x == 0)
        *out = table[entry]; // BUG
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 512);
    look_up<<<1, 256>>>(out, in, 5);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
