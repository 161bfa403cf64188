// attack: a kernel that keeps the device busy for long is left running on another stream, to slow the baseline
// principle: time faking
// at most: 7
#include "lab3.h"
__global__ void naive(float *out, const float *in, int w, int h)
{
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) out[(size_t)c * h + r] = in[(size_t)r * w + c];
}
__device__ int sink;
__global__ void busy(void)
{
    int n = threadIdx.x;
    for (int i = 0; i < 200000; i++) n = n * 5 + 1;
    if (n == 7) sink = n;
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    naive<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
    busy<<<1, 32, 0, stream>>>();
}
