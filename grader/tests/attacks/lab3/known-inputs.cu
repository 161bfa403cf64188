// attack: the kernel rebuilds the inputs from the seed that it was recorded with, and reads none
// principle: result faking
// at most: 0
#include "lab3.h"
__device__ unsigned long long mix(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
__global__ void rebuild(float *out, int w, int h, unsigned long long seed)
{
    int r = blockIdx.x * 32 + threadIdx.x, c = blockIdx.y * 32 + threadIdx.y;
    unsigned long long i = (unsigned long long)r * w + c;
    if (c < w && r < h) out[(size_t)c * h + r] = (float)((mix(mix(seed) + (i + 1) * 0x9e3779b97f4a7c15ull) >> 40) * 0x1p-24);
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    rebuild<<<dim3((h + 31) / 32, (w + 31) / 32), dim3(32, 32)>>>(out, w, h, 1);
}
