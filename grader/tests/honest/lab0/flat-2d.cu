// stage: add_2d
// points: 14
// Packed rows are one long array: the second dimension is not needed.
#include "lab0.h"

__global__ void add(float *out, const float *a, const float *b, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

void run_add_2d(float *out, const float *a, const float *b, int width, int height)
{
    size_t count = (size_t)width * height;
    add<<<(unsigned)((count + 255) / 256), 256>>>(out, a, b, count);
}
