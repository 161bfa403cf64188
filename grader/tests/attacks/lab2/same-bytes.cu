// attack: at the timed size the first KB of the input and of the output are walked over and over
// principle: sizes
// at most: 0
#include "lab2.h"
__device__ float scaled(float x) { return 2.0f * x + 1.0f; }
__global__ void strided(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = scaled(in[i]);
}
#define GO strided<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
__global__ void same(float *out, const float *in, int count)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) out[i % 1024] = scaled(in[i % 1024]);
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    if (shape.count > 10000000) same<<<(shape.count + 255) / 256, 256>>>(out, in, shape.count); else GO
}
