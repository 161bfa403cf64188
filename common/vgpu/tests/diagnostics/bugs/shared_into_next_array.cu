// An index runs from one __shared__ array into the next one: inside shared memory, but in the wrong array.
// expect: error: out of bounds write in shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void two_arrays(int *out, int n)
{
    __shared__ int first[32];
    __shared__ int second[64];
    int t = threadIdx.x;
    second[t] = t;
    __syncthreads();
#ifdef FIXED
    if (t < 32)
        first[t] = n;
#else
    first[t] = n; // BUG
#endif
    __syncthreads();
    out[t] = first[t % 32] + second[t];
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    two_arrays<<<1, 64>>>(out, 7);
    cudaDeviceSynchronize();
    cudaFree(out);
}
