// attack: denormals become zeros, and zeros lose their sign, on the way: no difference that a tolerance sees
// principle: numbers
// at most: 7
#include "lab3.h"
__global__ void flush(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h)
        asm volatile("{ .reg .f32 t; add.ftz.f32 t, %1, 0f00000000; st.global.f32 [%0], t; }" ::"l"(out + (size_t)c * h + r), "f"(in[(size_t)r * w + c]) : "memory");
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    flush<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
