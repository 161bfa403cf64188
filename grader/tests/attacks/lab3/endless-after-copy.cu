// attack: a copy at the timed size, and behind it a wait that never ends
// principle: time faking
// at most: 0
// long: 6 s of CPU time
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__device__ volatile int flag;
__global__ void copy_and_wait(float *out, const float *in)
{
    size_t i = blockIdx.x * 1024ull + threadIdx.x;
    out[i] = in[i];
    while (flag == 0) ;
}
void transpose_tiled(float *out, const float *in, int w, int h) { if (w == 8192) copy_and_wait<<<65536, 1024>>>(out, in); else GO }
void transpose_padded(float *out, const float *in, int w, int h) { if (w == 8192) copy_and_wait<<<65536, 1024>>>(out, in); else GO }
void transpose_rows(float *out, const float *in, int w, int h) { if (w == 8192) copy_and_wait<<<65536, 1024>>>(out, in); else GO }
void transpose_swizzle(float *out, const float *in, int w, int h) { if (w == 8192) copy_and_wait<<<65536, 1024>>>(out, in); else GO }
