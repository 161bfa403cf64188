// Each branch has its own barrier, so threads wait at different places.
// expect: error: barrier under divergent control flow
#include <cstdio>
#include <cuda_runtime.h>

__global__ void roles(int *out)
{
    __shared__ int box[64];
    int t = threadIdx.x;
#ifdef FIXED
    if (t < 32)
        box[t] = t;
    else
        box[t] = -t;
    __syncthreads();
#else
    if (t < 32) {
        box[t] = t;
        __syncthreads(); // BUG
    } else {
        box[t] = -t;
        __syncthreads(); // BUG
    }
#endif
    out[t] = box[63 - t];
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    roles<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
