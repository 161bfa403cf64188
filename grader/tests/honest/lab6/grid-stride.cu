// stage: block_size
// points: 7
// One wave of blocks and a loop.
#include "lab6.h"

#include "lab/answers.h"
#include "work.h"

__global__ void scale(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = scaled(in[i]);
}

void limits_block_size(struct task task)
{
    scale<<<1056, 256>>>(task.out, task.in, task.n);
    give_answers(task, {{choice_of_power(64), BLOCK_STARTS}}, ABOUT_BLOCKS);
}
