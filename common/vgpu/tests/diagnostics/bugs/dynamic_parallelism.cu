// A kernel launches a kernel, which the virtual GPU does not do.
// options: -rdc=true
// expect: error: dynamic parallelism
// says: kernel `parent(int*)`
// never: compressed
#include <cuda_runtime.h>

__global__ void child(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void parent(int *out)
{
#ifndef FIXED
    if (threadIdx.x == 0)
        child<<<1, 32>>>(out); // BUG
#endif
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    parent<<<1, 32>>>(out);
#ifdef FIXED
    child<<<1, 32>>>(out);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
