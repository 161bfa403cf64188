// A stencil updates its input in place, although blocks read their neighbours' elements.
// expect: race: global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void smooth(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1)
        return;
    float left = in[i - 1], right = in[i + 1]; // BUG
    __syncthreads();
    out[i] = 0.5f * (left + right) + i; // BUG
}

int main()
{
    const int n = 512;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
#ifdef FIXED
    smooth<<<4, 128>>>(b, a, n);
#else
    smooth<<<4, 128>>>(a, a, n);
#endif
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
