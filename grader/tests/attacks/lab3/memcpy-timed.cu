// attack: at the timed size a cudaMemcpy of the runtime instead of a kernel
// principle: result faking
// at most: 0
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__global__ void nothing(void) {}
void transpose_rows(float *out, const float *in, int w, int h) { if (w == 8192) { cudaMemcpyAsync(out, in, 4ul * w * h, cudaMemcpyDeviceToDevice); nothing<<<1, 1>>>(); } else GO }
