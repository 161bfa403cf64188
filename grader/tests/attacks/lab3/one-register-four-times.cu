// attack: an instruction that writes one register four times: ld.global.v4 {t, t, t, t}
// principle: the judge
// at most: 7
#include "lab3.h"
__global__ void twice(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    float t = 0;
    if (c >= w || r >= h) return;
    if (w % 4 == 0) asm volatile("{.reg .f32 t; ld.global.v4.f32 {t, t, t, t}, [%1]; mov.f32 %0, t;}" : "=f"(t) : "l"(in + (size_t)r * w));
    out[(size_t)c * h + r] = in[(size_t)r * w + c] + 0 * t;
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    twice<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
