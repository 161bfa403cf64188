// attack: the assembler takes in the lab's driver, for host code to look at
// principle: host tampering
// at most: 0
#include "lab3.h"
asm(".data\ndriver: .incbin \"@KIT@/build/labs/lab3/lab.so\"\n.text");
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
