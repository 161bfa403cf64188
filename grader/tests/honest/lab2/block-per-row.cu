// stage: pitched
// points: 11
// A block per row, which walks along it with four loads under way.
#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void walk(float *__restrict__ out, const float *__restrict__ in, int width, size_t stride)
{
    size_t row = blockIdx.x * stride;
#pragma unroll 4
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        out[row + x] = scaled(in[row + x]);
}

void walk_pitched(float *out, const float *in, struct shape shape)
{
    walk<<<shape.height, 256>>>(out, in, shape.width, shape.pitch / sizeof *in);
}
