// stage: block_size
// points: 7
// cudaOccupancyMaxPotentialBlockSize() chooses.
#include "lab6.h"

#include "lab/answers.h"
#include "work.h"

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scaled(in[i]);
}

void limits_block_size(struct task task)
{
    int grid, block;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0);
    scale<<<(task.n + block - 1) / block, block>>>(task.out, task.in, task.n);
    give_answers(task, {{choice_of_power(64), BLOCK_STARTS}}, ABOUT_BLOCKS);
}
