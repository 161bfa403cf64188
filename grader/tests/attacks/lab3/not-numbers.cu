// attack: everything becomes a NaN, which no difference is larger than
// principle: numbers
// at most: 0
#include "lab3.h"
__global__ void nans(float *out, size_t n)
{
    size_t i = blockIdx.x * 256ull + threadIdx.x;
    if (i < n) out[i] = __int_as_float(0x7fc00000);
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    nans<<<((size_t)w * h + 255) / 256, 256>>>(out, (size_t)w * h);
}
