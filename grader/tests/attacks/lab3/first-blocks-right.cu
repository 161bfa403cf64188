// attack: at large sizes only the first blocks of the grid transpose, the others copy
// principle: sizes
// at most: 0
#include "lab3.h"
__global__ void some(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    bool is_seen = blockIdx.x + blockIdx.y * gridDim.x < 4096;
    size_t i = (size_t)r * w + c;
    if (c < w && r < h) out[is_seen ? (size_t)c * h + r : i] = in[i];
}
void transpose_rows(float *out, const float *in, int w, int h) { some<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h); }
