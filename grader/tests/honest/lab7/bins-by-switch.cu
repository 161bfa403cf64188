// stage: registers
// points: 12
// Sixteen variables and a test for each, in blocks of 128.
#include "lab7.h"
#include "work.h"

#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

__global__ void sort_into_variables(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#define VARIABLE(b) float bin##b = 0;
    EACH(VARIABLE)
    for (int k = 0; k < VALUES; k++) {
        float value = in[(size_t)k * n + i];
        int bin = bin_of(value);
#define ADD(b) bin##b += bin == b ? value : 0;
        EACH(ADD)
    }
    float most = 0;
#define LARGER(b) most = fmaxf(most, bin##b);
    EACH(LARGER)
    out[i] = most;
}

void spaces_registers(struct task task)
{
    sort_into_variables<<<(task.n + 127) / 128, 128>>>(task.out, task.in, task.n);
}
