// attack: scattered loads as atomics that add 0, which no count of loads sees
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void add_zero(float *out, const float *in, int w, int h)
{
    int r = blockIdx.x * 32 + threadIdx.x, c = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = __uint_as_float(atomicOr((unsigned *)&in[(size_t)r * w + c], 0));
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    add_zero<<<dim3((h + 31) / 32, (w + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
