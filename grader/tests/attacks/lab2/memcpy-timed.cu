// attack: at the timed size the input is copied as it is
// principle: sizes
// at most: 0
#include "lab2.h"
__device__ float scaled(float x) { return 2.0f * x + 1.0f; }
__global__ void strided(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) out[i] = scaled(in[i]);
}
#define GO strided<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
__global__ void nothing(void) {}
void walk_unit(float *out, const float *in, struct shape shape)
{
    if (shape.count > 10000000) {
        cudaMemcpyAsync(out, in, 4ul * shape.count, cudaMemcpyDeviceToDevice);
        nothing<<<1, 1>>>();
    } else GO
}
