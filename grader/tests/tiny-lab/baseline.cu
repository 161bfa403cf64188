// baseline.cu - what the test lab's stages are compared with: slow on purpose, and right.
#include "tiny.h"

LAB_ENTRIES(tiny_fn, baseline_plain);

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
