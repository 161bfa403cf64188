// attack: the work is on a stream that nobody waits for, an empty kernel on the timed one
// principle: time faking
// at most: 7
// long: 4 s of CPU time
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
#define GO naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
__global__ void nothing(void) {}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32), 0, stream>>>(out, in, w, h);
    nothing<<<1, 1>>>();
}
