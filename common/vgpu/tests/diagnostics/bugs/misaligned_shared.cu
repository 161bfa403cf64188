// A double is stored at an odd multiple of four bytes.
// expect: error: misaligned write in shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(double *out, int shift)
{
    __shared__ double place[40];
    char *bytes = (char *)place;
    *(double *)(bytes + 8 * threadIdx.x + shift) = 1.0; // BUG
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = place[threadIdx.x];
}

int main()
{
    double *out;
    cudaMalloc(&out, 32 * sizeof(double));
#ifdef FIXED
    store<<<1, 33>>>(out, 0);
#else
    store<<<1, 33>>>(out, 4);
#endif
    cudaDeviceSynchronize();
    cudaFree(out);
}
