// attack: the input is transposed in place as well, so that whoever compares with it is wrong
// principle: result faking
// at most: 0
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__global__ void spoil(float *in, size_t n)
{
    size_t i = blockIdx.x * 256ull + threadIdx.x;
    if (i < n) in[i] = 0;
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    GO
    spoil<<<((size_t)w * h + 255) / 256, 256>>>((float *)in, (size_t)w * h);
}
