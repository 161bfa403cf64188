// A tree reduction without a barrier between its levels.
// expect: race: shared memory
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half]; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
    if (t == 0)
        *out = part[0];
}

int main()
{
    float *in, *out, host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 256>>>(out, in);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
