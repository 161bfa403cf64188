// attack: the next call's work is done in this one, on a stream of its own
// principle: time faking
// at most: 3
#include "lab2.h"
__device__ float scaled(float x) { return 2.0f * x + 1.0f; }
__global__ void strided(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = scaled(in[i]);
}
#define GO strided<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
void walk_unit(float *out, const float *in, struct shape shape)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    strided<<<(shape.count + 16383) / 16384, 256, 0, stream>>>(out, in, shape.count);
    strided<<<1, 1>>>(out, in, 0);
}
