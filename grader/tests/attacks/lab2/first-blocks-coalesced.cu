// attack: the first blocks walk side by side, the others in runs of their own
// principle: concept faking
// at most: 3
#include "lab2.h"
__device__ float scaled(float x) { return 2.0f * x + 1.0f; }
__global__ void strided(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = scaled(in[i]);
}
#define GO strided<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
__global__ void some(float *out, const float *in, int count)
{
    int first = blockIdx.x * 16384;
    if (blockIdx.x < 1000)
        for (int i = first + threadIdx.x; i < first + 16384 && i < count; i += 256) out[i] = scaled(in[i]);
    else
        for (int i = first + threadIdx.x * 64; i < first + threadIdx.x * 64 + 64 && i < count; i++) out[i] = scaled(in[i]);
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    some<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
}
