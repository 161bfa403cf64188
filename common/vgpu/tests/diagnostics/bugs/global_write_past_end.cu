// The last block is only partly filled: threads beyond n write past the buffer.
// expect: error: out of bounds write in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    if (i >= n)
        return;
#endif
    float x = i < n ? in[i] : 0.0f;
    out[i] = 2.0f * x; // BUG
}

int main()
{
    const int n = 1000;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
