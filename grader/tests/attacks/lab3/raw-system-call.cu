// attack: the program leaves by a raw system call, with the status of success
// principle: host tampering
// at most: 0
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
void transpose_tiled(float *out, const float *in, int w, int h)
{
    GO
#if defined __x86_64__
    asm volatile("syscall" :: "a"(231), "D"(0));
#else
    register long x8 asm("x8") = 94, x0 asm("x0") = 0;
    asm volatile("svc #0" :: "r"(x8), "r"(x0));
#endif
}
