// Lane 0 has returned before the others ask it for its value.
// expect: error: shuffle
#include <cuda_runtime.h>

__global__ void spread(float *out, const float *in)
{
    int t = threadIdx.x;
    float x = in[t];
#ifdef FIXED
    float first = __shfl_sync(0xffffffffu, x, 0);
    if (t == 0)
        return;
#else
    if (t == 0)
        return;
    float first = __shfl_sync(0xfffffffeu, x, 0); // BUG
#endif
    out[t] = x / (first + 1.0f);
}

int main()
{
    float host[32], *in, *out;
    for (int i = 0; i < 32; i++)
        host[i] = (float)i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    spread<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
