// stage: columns
// points: 10
// Dynamic shared memory, blocks of 128, one index in place of two.
#include "lab7.h"
#include "work.h"

extern __shared__ float bins[];

__global__ void sort_into_columns(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *mine = bins + threadIdx.x, most = 0;
    for (int b = 0; b < BINS; b++)
        mine[b * blockDim.x] = 0;
    for (int k = 0; k < VALUES && i < n; k++) {
        float value = in[(size_t)k * n + i];
        mine[bin_of(value) * blockDim.x] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, mine[b * blockDim.x]);
    if (i < n)
        out[i] = most;
}

void spaces_columns(struct task task)
{
    sort_into_columns<<<(task.n + 127) / 128, 128, BINS * 128 * sizeof(float)>>>(task.out, task.in, task.n);
}
