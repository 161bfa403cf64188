// attack: the arithmetic is done with half of the bits
// principle: numbers
// at most: 0
#include "lab2.h"
#include <cuda_fp16.h>
__global__ void rough(float *out, const float *in, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) out[i] = __half2float(__hadd(__float2half(2 * in[i]), __float2half(1)));
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    rough<<<(shape.count + 255) / 256, 256>>>(out, in, shape.count);
}
