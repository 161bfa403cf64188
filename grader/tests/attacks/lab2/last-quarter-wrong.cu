// attack: at the timed size the last quarter of the grid writes zeros
// principle: sizes
// at most: 0
#include "lab2.h"
__global__ void unit_of_sorts(float *out, const float *in, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) out[i] = blockIdx.x > 90000 ? 0 : 2 * in[i] + 1;
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    unit_of_sorts<<<(shape.count + 255) / 256, 256>>>(out, in, shape.count);
}
