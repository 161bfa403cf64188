// stage: static_order
// points: 9
// A block has 1024 elements; each thread takes four, all of its own kind.
#include "lab6.h"
#include "work.h"

__global__ void treat_four(float *out, const float *in, int n)
{
    int kind = threadIdx.x / 64;
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + (k * 64 + threadIdx.x % 64) * KINDS + kind;
        if (i < n)
            out[i] = treat(kind, in[i]);
    }
}

void limits_static_order(struct task task)
{
    treat_four<<<(task.n + 1023) / 1024, 256>>>(task.out, task.in, task.n);
}
