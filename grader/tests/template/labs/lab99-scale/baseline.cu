/* baseline.cu - the kit's own first step, which speedups are measured against. It is never the student's. */
#include "lab/entry.h"

enum { BLOCK = 256, STRETCH = 32 };

__global__ void strided_kernel(float *out, const float *in, int n)
{
    int first = (blockIdx.x * BLOCK + threadIdx.x) * STRETCH;
    for (int i = first; i < first + STRETCH && i < n; i++)
        out[i] = 3.0f * in[i];
}

LAB_ENTRY void baseline_strided(float *out, const float *in, int n)
{
    strided_kernel<<<(n + BLOCK * STRETCH - 1) / (BLOCK * STRETCH), BLOCK>>>(out, in, n);
}
