// stage: online
// points: 8
// Pairs of maximum and sum are joined in one tree; the fast exponential.
#include "lab10.h"

enum { BLOCK = 128 };

__device__ float2 join(float2 a, float2 b)
{
    float most = fmaxf(a.x, b.x);
    return most == -INFINITY ? a : make_float2(most, a.y * __expf(a.x - most) + b.y * __expf(b.x - most));
}

__global__ void softmax(float *out, const float *in, int width)
{
    __shared__ float2 pairs[BLOCK / 32];
    const float *row = in + (size_t)blockIdx.x * width;
    float2 own = make_float2(-INFINITY, 0);
    for (int i = threadIdx.x; i < width; i += BLOCK)
        own = join(own, make_float2(row[i], 1));
    for (int half = 16; half > 0; half /= 2)
        own = join(own, make_float2(__shfl_xor_sync(~0u, own.x, half), __shfl_xor_sync(~0u, own.y, half)));
    if (threadIdx.x % 32 == 0)
        pairs[threadIdx.x / 32] = own;
    __syncthreads();
    own = pairs[0];
    for (int w = 1; w < BLOCK / 32; w++)
        own = join(own, pairs[w]);
    for (int i = threadIdx.x; i < width; i += BLOCK)
        out[(size_t)blockIdx.x * width + i] = __expf(row[i] - own.x) / own.y;
}

void softmax_online(float *out, const float *in, int width, int rows)
{
    softmax<<<rows, BLOCK>>>(out, in, width);
}
