// attack: the recorder's memory is scribbled over while it records
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <cstdio>
#include <cstring>
#include <cstdint>
__global__ void naive(float *out, const float *in, int w, int h) { int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c]; }
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
void transpose_tiled(float *out, const float *in, int w, int h)
{
    GO
    if (w != 300) return;
    FILE *f = fopen("/proc/self/maps", "r"); char line[512]; uintptr_t a, b;
    while (f && fgets(line, sizeof line, f)) if (strstr(line, "[heap]") && sscanf(line, "%lx-%lx", &a, &b) == 2)
        for (uint32_t *p = (uint32_t *)a; p < (uint32_t *)b; p++) if (*p == 70000) *p = 0x7fffffff;
    if (f) fclose(f);
}
