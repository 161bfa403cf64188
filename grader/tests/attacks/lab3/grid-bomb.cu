// attack: a grid of 2^31 - 1 blocks
// principle: resources
// at most: 0
// long: it runs into the limit of work
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c]; }
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
void transpose_tiled(float *out, const float *in, int w, int h) { GO naive<<<2147483647, 1>>>(out, in, 0, 0); }
