// stage: fused
// points: 16
// A float4 per thread, and single floats at the end.
#include "lab8.h"

__device__ float all_of(float a, float b)
{
    float sum = fmaf(1.5f, a, b);
    return sqrtf(fmaf(sum, sum, 0.25f));
}

__global__ void by_fours(float *out, const float *a, const float *b, int count)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < count) {
        float4 x = *(const float4 *)(a + i), y = *(const float4 *)(b + i);
        *(float4 *)(out + i) =
            make_float4(all_of(x.x, y.x), all_of(x.y, y.y), all_of(x.z, y.z), all_of(x.w, y.w));
        return;
    }
    for (; i < count; i++)
        out[i] = all_of(a[i], b[i]);
}

void run_fused(float *out, const float *a, const float *b, int count)
{
    by_fours<<<(count + 1023) / 1024, 256>>>(out, a, b, count);
}
