// A filter's coefficients are read past the end of the __constant__ array.
// expect: error: out of bounds read in constant memory
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float weights[5];

__global__ void filter(float *out, const float *in, int radius)
{
    float sum = 0.0f;
#ifdef FIXED
    int last = 2 * radius;
#else
    int last = 2 * radius + 1;
#endif
    for (int k = 0; k <= last; k++)
        sum += weights[k] * in[threadIdx.x + k]; // BUG
    out[threadIdx.x] = sum;
}

int main()
{
    float host[5] = {1, 2, 3, 2, 1}, *in, *out;
    cudaMemcpyToSymbol(weights, host, sizeof host);
    cudaMalloc(&in, 64 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, 64 * sizeof(float));
    filter<<<1, 32>>>(out, in, 2);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
