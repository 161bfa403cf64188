// Every block writes a partial sum; the one that finishes last adds them up.
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned finished;

__global__ void sum(int *out, int *parts, const int *in)
{
    __shared__ int part[64];
    __shared__ bool is_last;
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = part[0];
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    int total = 0;
    for (int i = t; i < gridDim.x; i += 64)
        total += parts[i];
    part[t] = total;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) {
        *out = part[0];
        finished = 0;
    }
}

int main()
{
    const int n = 64 * 100;
    static int host[n];
    int *in, *out, *parts, result;
    for (int i = 0; i < n; i++)
        host[i] = i % 10;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&parts, 100 * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; k++)
        sum<<<100, 64>>>(out, parts, in);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    puts(result == 28800 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
    cudaFree(parts);
}
