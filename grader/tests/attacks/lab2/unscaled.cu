// attack: at the timed size the elements are moved, but nothing is computed
// principle: sizes
// at most: 0
#include "lab2.h"
__global__ void move(float *out, const float *in, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) out[i] = count > 10000000 ? in[i] : 2 * in[i] + 1;
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    move<<<(shape.count + 255) / 256, 256>>>(out, in, shape.count);
}
