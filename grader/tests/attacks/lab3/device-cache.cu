// attack: only the first call computes, later ones answer from a device variable
// principle: across calls
// at most: 0
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c]; }
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__device__ float kept[1 << 20]; __device__ int calls;
__global__ void cached(float *out, const float *in, int w, int h) { if (threadIdx.x) return; if (calls++ == 0) for (int c = 0; c < w; c++) for (int r = 0; r < h; r++) kept[(c * h + r) & 1048575] = in[r * w + c]; for (int i = 0; i < w * h; i++) out[i] = kept[i & 1048575]; }
void transpose_tiled(float *out, const float *in, int w, int h) { if (w * h < 4096) cached<<<1, 1>>>(out, in, w, h); else GO }
