// baseline.cu - what the test lab's stages are compared with: slow on purpose, and right.
#include "tiny.h"

LAB_ENTRIES(tiny_fn, baseline_plain, baseline_home);

__global__ void strided(float *out, const float *in, int n)
{
    int rows = n / 1024, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int j = i % rows * 1024 + i / rows;
        out[j] = 2 * in[j] + 1;
    }
}

void baseline_plain(float *out, const float *in, float *, int n)
{
    strided<<<(n + 255) / 256, 256>>>(out, in, n);
}

void baseline_home(float *out, const float *in, float *scratch, int n)
{
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, in, n * sizeof(float), cudaMemcpyHostToDevice);
    baseline_plain(to, from, scratch, n);
    cudaMemcpy(out, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
