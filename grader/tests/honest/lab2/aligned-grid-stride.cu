// stage: aligned
// points: 10
// A fixed grid that begins at a line of memory and goes round.
#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void walk(float *out, const float *in, int begin, int offset, int end)
{
    for (int i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x)
        if (i >= offset)
            out[i] = scaled(in[i]);
}

void walk_aligned(float *out, const float *in, struct shape shape)
{
    walk<<<2112, 128>>>(out, in, shape.offset & ~31, shape.offset, shape.offset + shape.count);
}
