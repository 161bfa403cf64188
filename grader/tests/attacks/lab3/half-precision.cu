// attack: values lose half of their bits on the way
// principle: numbers
// at most: 0
#include "lab3.h"
#include <cuda_fp16.h>
__global__ void rough(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = __half2float(__float2half(in[(size_t)r * w + c]));
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    rough<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
