// stage: ilp
// points: 9
// Four accounts side by side, twice.
#include "lab6.h"
#include "work.h"

__global__ void save_fours(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int first = 0; first < ACCOUNTS; first += 4) {
        float a = 0, b = 0, c = 0, d = 0;
        float ra = rate_of(in[i], first), rb = rate_of(in[i], first + 1);
        float rc = rate_of(in[i], first + 2), rd = rate_of(in[i], first + 3);
#pragma unroll 8
        for (int k = 0; k < PERIODS; k++) {
            a = a * ra + 0.5f;
            b = b * rb + 0.5f;
            c = c * rc + 0.5f;
            d = d * rd + 0.5f;
        }
        sum += (a + b) + (c + d);
    }
    out[i] = sum;
}

void limits_ilp(struct task task)
{
    save_fours<<<(task.n + 127) / 128, 128>>>(task.out, task.in, task.n);
}
