// stage: ilp
// points: 9
// TLP in place of ILP: a lane for each account, and a sum by shuffles.
#include "lab6.h"
#include "work.h"

__global__ void save_by_lanes(float *out, const float *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / ACCOUNTS;
    float balance = i < n ? save(rate_of(in[i], t % ACCOUNTS), PERIODS) : 0;
    for (int s = ACCOUNTS / 2; s > 0; s /= 2)
        balance += __shfl_down_sync(0xffffffff, balance, s, ACCOUNTS);
    if (i < n && t % ACCOUNTS == 0)
        out[i] = balance;
}

void limits_ilp(struct task task)
{
    save_by_lanes<<<(task.n * ACCOUNTS + 255) / 256, 256>>>(task.out, task.in, task.n);
}
