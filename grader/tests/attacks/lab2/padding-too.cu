// attack: the padding between rows is written as well, so that all is one flat walk
// principle: result faking
// at most: 0
#include "lab2.h"
__global__ void flat(float *out, const float *in, size_t count)
{
    size_t i = blockIdx.x * 256ull + threadIdx.x;
    if (i < count) out[i] = 2 * in[i] + 1;
}
void walk_pitched(float *out, const float *in, struct shape shape)
{
    size_t count = shape.pitch / 4 * shape.height;
    flat<<<(count + 255) / 256, 256>>>(out, in, count);
}
