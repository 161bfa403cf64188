// Loops that take more than the budget and come to their ends: counters of all kinds, in loops within loops.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void one_thread(float *out, int n)
{
    float x = 0;
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    out[0] = x;
}

__global__ void until_escape(float *out, int n) // left by the first of two tests
{
    float x = 0;
    int k = 0;
    while (x * x < 4.0f && k < n) {
        x = x * x - 0.5f;
        k++;
    }
    out[threadIdx.x] = x + k;
}

__global__ void downwards(float *out, unsigned n) // ends below 0
{
    float x = 0;
    for (unsigned i = n - 1; i < n; i--)
        x = x * 0.5f + (i & 1);
    out[threadIdx.x] = x;
}

__global__ void nested(float *out, int n, int m) // a loop inside depends on data
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        for (int k = 0; k < m; k++) {
            unsigned x = i + k + 1;
            while (x != 1)
                x = x & 1 ? 3 * x + 1 : x >> 1;
            out[threadIdx.x] += x;
        }
}

__device__ __noinline__ float many(float x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    return x;
}

__global__ void by_calls(float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x] = many(out[threadIdx.x], 1000);
}

int main()
{
    float *out;
    cudaMalloc(&out, 1024 * sizeof(float));
    cudaMemset(out, 0, 1024 * sizeof(float));
    one_thread<<<1, 1>>>(out, 2500000);
    until_escape<<<1, 32>>>(out, 700000);
    downwards<<<1, 32>>>(out, 700000);
    nested<<<1, 32>>>(out, 32, 1000);
    by_calls<<<1, 32>>>(out, 1500);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
    cudaFree(out);
}
