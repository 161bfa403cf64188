// attack: strided stores as atomic exchanges
// principle: concept faking
// at most: 3
#include "lab2.h"
__global__ void exchange(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++)
        atomicExch(&out[i], 2 * __uint_as_float(atomicOr((unsigned *)&in[i], 0)) + 1);
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    exchange<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
}
