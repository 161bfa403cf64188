// stage: what_if
// points: 5
// The gain as it is on the virtual GPU.
#include "answers.h"

__global__ void sum_anything(float *out, const float *in, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += in[(size_t)k * n + i];
    out[i] = sum;
}

void limits_what_if(struct task task)
{
    sum_anything<<<(task.n + 127) / 128, 128>>>(task.out, task.in, task.n, task.m);
    give_answers(task, {{choice_of_gain(4.0)}}, 1);
}
