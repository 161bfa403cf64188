// stage: clip
// points: 6
// The kernel writes what is positive, and the zeros come from cudaMemset().
#include "lab0.h"

__global__ void clip(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && in[i] > 0)
        out[i] = in[i];
}

void run_clip(float *out, const float *in, int count)
{
    cudaMemset(out, 0, count * sizeof *out);
    clip<<<(count + 255) / 256, 256>>>(out, in, count);
}
