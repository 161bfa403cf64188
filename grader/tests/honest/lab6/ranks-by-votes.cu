// stage: dynamic_order
// points: 11
// Ranks within a warp by votes, and one atomic per warp and kind.
#include "lab6.h"
#include "work.h"

enum { BLOCK = 256 };

__global__ void treat_sorted(float *out, const float *in, const int *kinds, int n)
{
    __shared__ int count[KINDS], place[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, lane = t % 32, kind = i < n ? kinds[i] : -1, rank = 0;
    if (t < KINDS)
        count[t] = 0;
    place[t] = -1;
    __syncthreads();
    for (int k = 0; k < KINDS; k++) {
        unsigned same = __ballot_sync(0xffffffff, kind == k);
        int first = 0;
        if (lane == 0)
            first = atomicAdd(&count[k], __popc(same));
        first = __shfl_sync(0xffffffff, first, 0);
        if (kind == k)
            rank = first + __popc(same & ((1u << lane) - 1));
    }
    __syncthreads();
    for (int k = 0; k < kind; k++)
        rank += count[k];
    if (i < n)
        place[rank] = t | kind << 16;
    __syncthreads();
    if (place[t] >= 0) {
        i = blockIdx.x * BLOCK + (place[t] & 0xffff);
        out[i] = treat(place[t] >> 16, in[i]);
    }
}

void limits_dynamic_order(struct task task)
{
    treat_sorted<<<(task.n + BLOCK - 1) / BLOCK, BLOCK>>>(task.out, task.in, task.table, task.n);
}
