// attack: conflicting loads of the tile as atomics on shared memory
// principle: concept faking
// at most: 7
#include "lab3.h"
__global__ void tiled(float *out, const float *in, int w, int h)
{
    __shared__ unsigned tile[32][32];
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (c < w && r < h) tile[threadIdx.y][threadIdx.x] = __float_as_uint(in[(size_t)r * w + c]);
    __syncthreads();
    int oc = blockIdx.y * 32 + threadIdx.x, o = blockIdx.x * 32 + threadIdx.y;
    if (oc < h && o < w) out[(size_t)o * h + oc] = __uint_as_float(atomicOr(&tile[threadIdx.x][threadIdx.y], 0));
}
void transpose_padded(float *out, const float *in, int w, int h)
{
    tiled<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(out, in, w, h);
}
