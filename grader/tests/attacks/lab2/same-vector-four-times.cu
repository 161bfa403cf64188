// attack: vector loads into one register four times over, stores stay scalar
// principle: concept faking
// at most: 4
#include "lab2.h"
__global__ void same(float *out, const float *in, int offset, int end)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float t = 0;
    if (i < offset || i >= end) return;
    if (i / 4 * 4 + 4 <= end)
        asm volatile("{.reg .f32 t; ld.global.v4.f32 {t, t, t, t}, [%1]; mov.f32 %0, t;}" : "=f"(t) : "l"(in + i / 4 * 4));
    out[i] = 2 * in[i] + 1 + 0 * t;
}
void walk_vector(float *out, const float *in, struct shape shape)
{
    int end = shape.offset + shape.count;
    same<<<(end + 255) / 256, 256>>>(out, in, shape.offset, end);
}
