// stage: barriers
// points: 6
// Shared memory and __syncwarp(): no barrier, but hardly faster.
#include "lab6.h"
#include "work.h"

enum { BLOCK = 128 };

__global__ void smooth_by_warp(float *out, const float *in, int n)
{
    __shared__ float x[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, ring = t / RING * RING;
    x[0][t] = i < n * RING ? in[i] : 0;
    for (int k = 0; k < SMOOTHINGS; k++) {
        const float *now = x[k % 2];
        __syncwarp();
        x[(k + 1) % 2][t] = smooth(now[ring + (t + RING - 1) % RING], now[t], now[ring + (t + 1) % RING]);
    }
    if (i < n * RING)
        out[i] = x[SMOOTHINGS % 2][t];
}

void limits_barriers(struct task task)
{
    smooth_by_warp<<<(task.n * RING + BLOCK - 1) / BLOCK, BLOCK>>>(task.out, task.in, task.n);
}
