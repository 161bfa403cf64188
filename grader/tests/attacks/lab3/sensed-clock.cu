// attack: different work when the clock looks like a real one
// principle: time faking
// at most: 0
#include "lab3.h"
__global__ void sense(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    long long before = clock64();
    bool is_watched = clock64() - before > 0 && gridDim.x < 200;
    size_t i = (size_t)r * w + c;
    if (c < w && r < h) out[is_watched ? (size_t)c * h + r : i] = in[i];
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    sense<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
