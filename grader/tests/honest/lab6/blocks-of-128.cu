// stage: block_size
// points: 7
// The smallest block that still earns all points.
#include "lab6.h"
#include "work.h"

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scaled(in[i]);
}

void limits_block_size(struct task task)
{
    scale<<<(task.n + 127) / 128, 128>>>(task.out, task.in, task.n);
}
