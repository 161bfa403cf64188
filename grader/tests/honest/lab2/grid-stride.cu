// stage: unit
// points: 11
// A grid of fixed size that goes round until all elements are done.
#include "lab2.h"

__global__ void walk(float *out, const float *in, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = 2.0f * in[i] + 1.0f;
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    walk<<<2112, 256>>>(out, in, shape.count);
}
