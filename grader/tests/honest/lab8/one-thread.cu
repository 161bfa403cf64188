// stage: leftover
// points: 15
// A single thread fetches what it needs itself: right, and far faster than the way to the host and back.
#include "lab8.h"
#include "work.h"

__global__ void shape(float *x, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = shaped(in[i]);
}

__global__ void rest(float *levels, const float *x, int segments)
{
    float level = 0;
    for (int k = 0; k < segments; k++)
        levels[k] = level = next_level(level, x[(size_t)k * SEGMENT]);
}

__global__ void lift(float *out, const float *x, const float *levels, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] + levels[i / SEGMENT];
}

void run_leftover(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
    int blocks = (count + 255) / 256;
    shape<<<blocks, 256>>>(x, in, count);
    rest<<<1, 1>>>(levels, x, segments_of(count));
    lift<<<blocks, 256>>>(out, x, levels, count);
}
