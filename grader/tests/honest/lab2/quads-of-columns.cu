// stage: column
// points: 10
// Four neighbouring columns per thread, 16 bytes per load.
#include "lab2.h"

__global__ void columns(float *out, const float *in, int width, int height, size_t stride)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float sum[4] = {0, 0, 0, 0};
    if (i >= width)
        return;
#pragma unroll 5
    for (int k = 0; k < height; k++) {
        float4 v = *(const float4 *)&in[k * stride + i];
        sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
    }
    for (int c = 0; c < 4 && i + c < width; c++)
        out[i + c] = sum[c];
}

void walk_column(float *out, const float *in, struct shape shape)
{
    columns<<<(shape.width + 511) / 512, 128>>>(out, in, shape.width, shape.height, shape.pitch / sizeof *in);
}
