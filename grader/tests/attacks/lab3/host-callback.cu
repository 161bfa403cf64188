// attack: the work is launched by a function that the stream calls later
// principle: time faking
// at most: 0
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
struct job { float *out; const float *in; int w, h; };
static void later(void *p)
{
    job j = *(job *)p;
    float *out = j.out; const float *in = j.in; int w = j.w, h = j.h;
    GO
}
__global__ void nothing(void) {}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    static job j;
    j = {out, in, w, h};
    nothing<<<1, 1>>>();
    cudaLaunchHostFunc(0, later, &j);
}
