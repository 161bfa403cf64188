// attack: scalars come as asynchronous copies; as many vectors are loaded as a count of loads needs
// principle: concept faking
// at most: 4
#include "lab2.h"
__global__ void staged(float *out, const float *in, int begin, int offset, int end)
{
    __shared__ float kept[256];
    int i = begin + blockIdx.x * 256 + threadIdx.x;
    if (i < offset || i >= end) return;
    unsigned to = (unsigned)__cvta_generic_to_shared(&kept[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" :: "r"(to), "l"(in + i) : "memory");
    out[i] = 2 * *(volatile float *)&kept[threadIdx.x] + 1;
}
__global__ void vectors(float *out, const float *in, int offset, int count)
{
    int i = (blockIdx.x * 256 + threadIdx.x) * 4;
    if (i + 4 > count) return;
    float4 v = *(const float4 *)(in + i);
    if (v.x + v.y + v.z + v.w == 12345) out[offset] = 0;
}
void walk_vector(float *out, const float *in, struct shape shape)
{
    int begin = shape.offset / 32 * 32, end = shape.offset + shape.count;
    staged<<<(end - begin + 255) / 256, 256>>>(out, in, begin, shape.offset, end);
    vectors<<<(shape.count / 20 + 1023) / 1024, 256>>>(out, in, shape.offset, shape.count / 20);
}
