// stage: read_only
// points: 8
// __ldg() in place of const __restrict__.
#include "lab7.h"
#include "work.h"

__global__ void weigh(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += __ldg(taps + k) * __ldg(in + i + k);
    out[i] = sum;
}

void spaces_read_only(struct task task)
{
    weigh<<<(task.n + 511) / 512, 512>>>(task.out, task.in, task.table, task.n);
}
