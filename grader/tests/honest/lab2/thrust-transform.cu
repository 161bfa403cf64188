// stage: unit
// points: 11
// long: 11 s of CPU time
// thrust::transform launches the kernel.
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

struct scale {
    __device__ float operator()(float x) const { return scaled(x); }
};

void walk_unit(float *out, const float *in, struct shape shape)
{
    thrust::transform(thrust::device, in, in + shape.count, out, scale());
}
