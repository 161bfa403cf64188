// stage: padded
// points: 30
// No shared memory at all: a warp turns a square of 32 x 32 in its registers, bit by bit of the row's number.
#include "lab3.h"

__global__ void turn(float *out, const float *in, int width, int height)
{
    int lane = threadIdx.x, x = blockIdx.x * 32, y = (blockIdx.y * blockDim.y + threadIdx.y) * 32;
    float v[32];
#pragma unroll
    for (int k = 0; k < 32; k++)
        v[k] = x + lane < width && y + k < height ? in[(size_t)(y + k) * width + x + lane] : 0;
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++)
            if (!(k & bit)) {
                float given = __shfl_xor_sync(0xffffffff, lane & bit ? v[k] : v[k | bit], bit);
                (lane & bit ? v[k] : v[k | bit]) = given;
            }
#pragma unroll
    for (int k = 0; k < 32; k++)
        if (y + lane < height && x + k < width)
            out[(size_t)(x + k) * height + y + lane] = v[k];
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    turn<<<dim3((width + 31) / 32, (height + 127) / 128), dim3(32, 4)>>>(out, in, width, height);
}
