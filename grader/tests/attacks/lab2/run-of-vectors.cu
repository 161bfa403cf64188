// attack: a run of elements per thread stays, in vectors that half fill the sectors of a load
// principle: concept faking
// at most: 8
#include "lab2.h"
__global__ void runs(float *out, const float *in, int count)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 8;
#pragma unroll
    for (int k = 0; k < 8; k += 4)
        if (first + k + 4 <= count) {
            float4 v = *(const float4 *)(in + first + k);
            *(float4 *)(out + first + k) = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);
        } else {
            for (int i = first + k; i < first + k + 4 && i < count; i++) out[i] = 2 * in[i] + 1;
        }
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    runs<<<(shape.count + 2047) / 2048, 256>>>(out, in, shape.count);
}
