// stage: reverse
// points: 6
// Nobody reads what another thread wrote: then no barrier is needed.
#include "lab0.h"

__global__ void reverse(float *out, const float *in, int count)
{
    int first = blockIdx.x * 256, length = min(256, count - first);
    if (threadIdx.x < length)
        out[first + threadIdx.x] = in[first + length - 1 - threadIdx.x];
}

void run_reverse(float *out, const float *in, int count)
{
    reverse<<<(count + 255) / 256, 256>>>(out, in, count);
}
