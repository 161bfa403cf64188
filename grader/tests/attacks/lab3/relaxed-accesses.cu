// attack: scattered stores in another spelling of PTX: st.relaxed and st.volatile
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void relaxed(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c >= w || r >= h) return;
    float *to = &out[(size_t)c * h + r], v = in[(size_t)r * w + c];
    if (r % 2) asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" :: "l"(to), "f"(v));
    else asm volatile("st.volatile.f32 [%0], %1;" :: "l"(to), "f"(v));
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    relaxed<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
