// stage: vector
// points: 12
// Head, body and tail are three launches on one stream.
#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void walk(float *out, const float *in, int first, int end)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end)
        out[i] = scaled(in[i]);
}

__global__ void walk4(float4 *out, const float4 *in, int first, int end)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= end)
        return;
    float4 v = in[i];
    out[i] = make_float4(scaled(v.x), scaled(v.y), scaled(v.z), scaled(v.w));
}

void walk_vector(float *out, const float *in, struct shape shape)
{
    int end = shape.offset + shape.count, first = (shape.offset + 127) / 128 * 128, last = end / 4 * 4;
    if (first > last)
        first = last = end;
    walk<<<1, 128>>>(out, in, shape.offset, first);
    if (last > first)
        walk4<<<(last / 4 - first / 4 + 255) / 256, 256>>>((float4 *)out, (const float4 *)in, first / 4, last / 4);
    walk<<<1, 128>>>(out, in, last, end);
}
