// attack: the tile is a local array per thread: no shared access is counted, the stores stay scattered
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void local_tile(float *out, const float *in, int w, int h, int zero)
{
    float kept[32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32;
    for (int k = 0; k < 32; k++) kept[k ^ zero] = c < w && r + k < h ? in[(size_t)(r + k) * w + c] : 0;
    for (int k = 0; k < 32; k++) if (c < w && r + k < h) out[(size_t)c * h + r + k] = kept[k ^ zero];
}
void transpose_padded(float *out, const float *in, int w, int h)
{
    local_tile<<<dim3((w + 31) / 32, (h + 31) / 32), 32>>>(out, in, w, h, 0);
}
