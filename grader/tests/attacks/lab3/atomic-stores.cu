// attack: scattered stores as atomic exchanges, which no count of stores sees
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void exchange(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) atomicExch(&out[(size_t)c * h + r], in[(size_t)r * w + c]);
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    exchange<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
