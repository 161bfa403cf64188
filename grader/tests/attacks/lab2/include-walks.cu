// attack: a header of the driver, which no submission needs, is included
// principle: host tampering
// at most: 0
#include "lab2.h"
extern "C" {
#include "walks.h"
}
__global__ void unit(float *out, const float *in, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) out[i] = 2.0f * in[i] + 1.0f;
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    unit<<<(shape.count + 255) / 256, 256>>>(out, in, shape.count);
}
