// attack: lanes that meet at a bank go one after the other, each as an access of its own
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void turn(float *out, const float *in, int w, int h)
{
    __shared__ float tile[32][32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) tile[threadIdx.y][threadIdx.x] = in[(size_t)r * w + c];
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    unsigned from = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y]);
    float value = 0;
    if (oc >= h || o >= w) return;
#pragma unroll
    for (unsigned k = 0; k < 32; k++)
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p ld.shared.f32 %0, [%3]; }" : "+f"(value) : "r"(threadIdx.x), "r"(k), "r"(from));
    out[(size_t)o * h + oc] = value;
}
void transpose_padded(float *out, const float *in, int w, int h)
{
    turn<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
