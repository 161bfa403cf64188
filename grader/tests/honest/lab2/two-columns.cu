// stage: column
// points: 10
// Two neighbouring columns per thread, 8 bytes per load: rows begin at multiples of 128 bytes.
#include "lab2.h"

__global__ void columns(float *out, const float *in, int width, int height, size_t stride)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    float a = 0, b = 0;
    if (i >= width)
        return;
    for (int k = 0; k < height; k++) {
        float2 v = *(const float2 *)(in + k * stride + i);
        a += v.x;
        b += v.y;
    }
    out[i] = a;
    if (i + 1 < width)
        out[i + 1] = b;
}

void walk_column(float *out, const float *in, struct shape shape)
{
    columns<<<(shape.width + 511) / 512, 256>>>(out, in, shape.width, shape.height, shape.pitch / sizeof(float));
}
