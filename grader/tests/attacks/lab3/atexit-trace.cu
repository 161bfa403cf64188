// attack: the trace is overwritten with another file's after the scout wrote it
// principle: host tampering
// at most: 7
#include "lab3.h"
#include <cstdlib>
#include <cstdio>
__global__ void naive(float *out, const float *in, int w, int h) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c]; }
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
static void late() { FILE *f = fopen("tiled.trace", "wb"); for (int i = 0; i < 1000000; i++) fputs("WSTRACE", f); fclose(f); }
void transpose_tiled(float *out, const float *in, int w, int h) { static int once = atexit(late); (void)once; GO }
