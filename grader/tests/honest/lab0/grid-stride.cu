// stage: add
// points: 12
// A fixed grid whose threads go on until all elements are done.
#include "lab0.h"

__global__ void add(float *out, const float *a, const float *b, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = a[i] + b[i];
}

void run_add(float *out, const float *a, const float *b, int count)
{
    add<<<64, 128>>>(out, a, b, count);
}
