// attack: kernels print without end
// principle: resources
// at most: 0
// long: it runs into the limit of work
#include "lab3.h"
#include <cstdio>
__global__ void naive(float *out, const float *in, int w, int h) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c]; }
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__global__ void flood() { for (int i = 0; i < 100000; i++) printf("%d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", i); }
void transpose_tiled(float *out, const float *in, int w, int h) { GO flood<<<100, 1024>>>(); }
