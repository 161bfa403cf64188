// A float4 is read from an address that is no multiple of 16.
// expect: error: misaligned read in global memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sums(float *out, const float *in, int shift)
{
    const float4 *quads = (const float4 *)(in + shift);
    float4 q = quads[threadIdx.x]; // BUG
    out[threadIdx.x] = q.x + q.y + q.z + q.w;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemset(in, 0, 256 * sizeof(float));
#ifdef FIXED
    sums<<<1, 32>>>(out, in, 4);
#else
    sums<<<1, 32>>>(out, in, 1);
#endif
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
