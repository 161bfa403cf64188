/* shift.cu - a static kernel of the same name as in scale.cu: each file's own must run. */
#include "parts.h"

static __constant__ float bias = 0.5f;

static __global__ void change(float *data, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += by + bias;
}

void shift_on_device(float *data, float by, int n)
{
    change<<<(n + 63) / 64, 64>>>(data, by, n);
}
