// attack: one kernel for all sizes, which copies where its grid is large: the recording shows nothing
// principle: sizes
// at most: 0
#include "lab3.h"
__global__ void turn_or_copy(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    size_t i = (size_t)r * w + c;
    if (c < w && r < h) out[gridDim.x * gridDim.y > 20000 ? i : (size_t)c * h + r] = in[i];
}
void transpose_rows(float *out, const float *in, int w, int h) { turn_or_copy<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h); }
