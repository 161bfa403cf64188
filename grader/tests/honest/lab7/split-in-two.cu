// stage: spill
// points: 7
// long: 14 s of CPU time
// Two kernels with 8 points per thread: no spills, but the values go through memory twice.
#include "lab7.h"
#include "work.h"

__global__ void transform_part(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * 256 + threadIdx.x, part = blockIdx.y, first = stride == 1 ? part * RADIX : part;
    float x[RADIX];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        x[k] = in[(size_t)(first + k * stride) * n + i];
#pragma unroll
    for (int half = 1; half < RADIX; half *= 2)
#pragma unroll
        for (int k = 0; k < RADIX; k++)
            if (!(k & half)) {
                float sum = x[k] + x[k + half];
                x[k + half] = x[k] - x[k + half];
                x[k] = sum;
            }
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        out[(size_t)(first + k * stride) * n + i] = x[k];
}

void spaces_spill(struct task task)
{
    dim3 grid((task.n + 255) / 256, POINTS / RADIX);
    transform_part<<<grid, 256>>>(task.out, task.in, task.n, 1);
    transform_part<<<grid, 256>>>(task.out, task.out, task.n, RADIX);
}
