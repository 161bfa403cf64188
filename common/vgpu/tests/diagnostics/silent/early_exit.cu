// Threads without work return before the barrier: some lanes, whole warps, and one with work of its own.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reverse(int *out, const int *in, int n)
{
    __shared__ int tile[128];
    int t = threadIdx.x;
    if (t >= n) {
        out[t] = -1;
        return;
    }
    tile[t] = in[t];
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        int x = tile[n - 1 - t];
        __syncthreads();
        tile[t] = x + 1;
        __syncthreads();
    }
    out[t] = tile[t];
}

__global__ void rows(int *out, int n)
{
    __shared__ int tile[64];
    if (threadIdx.x >= n)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (n > 10) {
        out[threadIdx.x] += tile[n - 1 - threadIdx.x];
        __syncthreads();
    }
}

int main()
{
    int host[128], *in, *out, result[128];
    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 128>>>(out, in, 40);
    rows<<<1, 64>>>(out, 20);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    puts(result[0] == 42 + 19 && result[39] == 3 && result[40] == -1 ? "ok" : "wrong");
    cudaFree(in);
    cudaFree(out);
}
