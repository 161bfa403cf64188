// attack: the two last bits of every value are lost: within any tolerance, but a transpose computes nothing
// principle: numbers
// at most: 0
#include "lab3.h"
__global__ void cut(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = __uint_as_float(__float_as_uint(in[(size_t)r * w + c]) & ~3u);
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    cut<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
