// attack: two blocks write each element, the wrong one usually first
// principle: numbers
// at most: 7
// long: 12 s of CPU time
#include "lab3.h"
__global__ void twice(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = blockIdx.z ? in[(size_t)r * w + c] : -1;
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    twice<<<dim3((w + 31) / 32, (h + 31) / 32, 2), dim3(32, 32)>>>(out, in, w, h);
}
