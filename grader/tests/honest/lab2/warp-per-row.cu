// stage: pitched
// points: 11
// A warp walks along each row, one row after the other.
#include "lab2.h"

__global__ void walk(float *out, const float *in, int width, int height, size_t stride)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= height)
        return;
    for (int first = 0; first < width; first += 32)
        if (first + lane < width)
            out[warp * stride + first + lane] = 2.0f * in[warp * stride + first + lane] + 1.0f;
}

void walk_pitched(float *out, const float *in, struct shape shape)
{
    walk<<<(shape.height + 7) / 8, 256>>>(out, in, shape.width, shape.height, shape.pitch / sizeof(float));
}
