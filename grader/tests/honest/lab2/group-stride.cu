// stage: unit
// points: 11
// long: 5 s of CPU time
// Ranks of cooperative groups instead of indexes.
#include <cooperative_groups.h>

#include "lab2.h"

__device__ float scaled(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void walk(float *__restrict__ out, const float *__restrict__ in, int count)
{
    auto grid = cooperative_groups::this_grid();
#pragma unroll 4
    for (long long i = grid.thread_rank(); i < count; i += grid.size())
        out[i] = scaled(in[i]);
}

void walk_unit(float *out, const float *in, struct shape shape)
{
    walk<<<1056, 256>>>(out, in, shape.count);
}
