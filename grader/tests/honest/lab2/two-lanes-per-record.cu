// stage: records
// points: 11
// Two lanes share a record: each loads half of it, and a shuffle brings the halves' sums together.
#include "lab2.h"

__global__ void pairs(float *out, const float4 *in, const int *index, int count)
{
    int lane = threadIdx.x % 2, i = (blockIdx.x * blockDim.x + threadIdx.x) / 2;
    float4 half = make_float4(0, 0, 0, 0);
    if (i < count)
        half = in[2 * (size_t)index[i] + lane];
    float vx = __shfl_xor_sync(0xffffffff, half.w, 1); /* the first half's last field is the second's velocity */
    float x = __shfl_xor_sync(0xffffffff, half.x, 1), y = __shfl_xor_sync(0xffffffff, half.y, 1),
          z = __shfl_xor_sync(0xffffffff, half.z, 1);
    if (i < count && lane == 1)
        out[i] = 0.5f * half.z * (vx * vx + half.x * half.x + half.y * half.y) + half.w * (x + y + z);
}

void walk_records(float *out, const float *in, struct shape shape)
{
    pairs<<<(2 * shape.count + 255) / 256, 256>>>(out, (const float4 *)in, shape.index, shape.count);
}
