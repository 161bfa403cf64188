// A stencil looks to the left of the first element.
// expect: error: out of bounds read in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void blur(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1)
        return;
#ifdef FIXED
    if (i == 0)
        return;
#endif
    out[i] = in[i - 1] + in[i] + in[i + 1]; // BUG
}

int main()
{
    const int n = 512;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    blur<<<2, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
