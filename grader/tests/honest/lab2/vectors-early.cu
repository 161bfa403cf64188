// stage: unit
// points: 11
// A float4 per thread, five stages before it is asked for.
#include "lab2.h"

__global__ void walk(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count / 4) {
        float4 v = ((const float4 *)in)[i];
        ((float4 *)out)[i] = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);
    }
    if (i < count % 4)
        out[count / 4 * 4 + i] = 2.0f * in[count / 4 * 4 + i] + 1.0f;
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    walk<<<(shape.count + 1023) / 1024, 256>>>(out, in, shape.count);
}
