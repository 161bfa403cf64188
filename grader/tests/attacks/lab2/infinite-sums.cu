// attack: a sum that is made infinite, and a NaN where that is wrong
// principle: numbers
// at most: 0
#include "lab2.h"
__global__ void columns(float *out, int width)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < width) out[i] = i % 2 ? __int_as_float(0x7f800000) : __int_as_float(0xffc00000);
}
void walk_column(float *out, const float *in, struct shape shape)
{
    columns<<<(shape.width + 255) / 256, 256>>>(out, shape.width);
}
