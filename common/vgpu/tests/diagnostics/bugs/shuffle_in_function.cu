// A function that is not inlined returns a sum that only lane 0 may use; lane 9 prints it.
// expect: error: shuffle
#include <cstdio>
#include <cuda_runtime.h>

__device__ __noinline__ float half_sum(float x)
{
    for (int half = 8; half > 0; half /= 2)
        x += __shfl_down_sync(0x0000ffffu, x, half); // BUG
    return x;
}

__global__ void sum(const float *in)
{
    int t = threadIdx.x;
    if (t >= 16)
        return;
    float x = half_sum(in[t]);
#ifdef FIXED
    if (t == 0)
#else
    if (t == 9)
#endif
        printf("%f\n", x);
}

int main()
{
    float host[32], *in;
    for (int i = 0; i < 32; i++)
        host[i] = (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(in);
    cudaDeviceSynchronize();
    cudaFree(in);
}
