// stage: unit
// points: 11
// One kernel for any operation on elements: a functor with C linkage around it.
#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

struct scale {
    __device__ float operator()(float x) const { return scaled(x); }
};

template <int each, typename operation>
__global__ void walk(float *__restrict__ out, const float *__restrict__ in, int count, operation change)
{
    int first = blockIdx.x * blockDim.x * each + threadIdx.x;
    float kept[each];
#pragma unroll
    for (int k = 0; k < each; k++)
        if (first + k * blockDim.x < count)
            kept[k] = in[first + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < each; k++)
        if (first + k * blockDim.x < count)
            out[first + k * blockDim.x] = change(kept[k]);
}

extern "C" int blocks_of(int count, int each)
{
    return (count + each - 1) / each;
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    walk<4><<<blocks_of(shape.count, 1024), 256>>>(out, in, shape.count, scale());
}
