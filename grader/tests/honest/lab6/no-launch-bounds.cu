// stage: registers
// points: 8
// nvcc takes the registers that it needs.
#include "lab6.h"
#include "work.h"

__global__ void sums(float *out, const float *in, int n)
{
    int i = blockIdx.x * ROUND_STEP + threadIdx.x;
    if (i >= n)
        return;
    float sum[TERMS] = {}, total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int from = i + round * ROUND_STEP;
        float x = in[from < n ? from : i], power = 1;
#pragma unroll
        for (int t = 0; t < TERMS; t++) {
            power *= x;
            sum[t] = sum[t] * 0.5f + power;
        }
    }
#pragma unroll
    for (int t = 0; t < TERMS; t++)
        total += sum[t] / (t + 1);
    out[i] = total;
}

void limits_registers(struct task task)
{
    sums<<<(task.n + ROUND_STEP - 1) / ROUND_STEP, ROUND_STEP>>>(task.out, task.in, task.n);
}
