// attack: strided loads in other spellings of PTX: relaxed, acquire, volatile, generic
// principle: concept faking
// at most: 3
#include "lab2.h"
__device__ float load(const float *p, int k)
{
    float v;
    if (k % 4 == 0) asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else if (k % 4 == 1) asm volatile("ld.acquire.sys.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else if (k % 4 == 2) asm volatile("ld.volatile.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void spelled(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = 2 * load(&in[i], i) + 1;
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    spelled<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
}
