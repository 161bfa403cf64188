// stage: tree_lookup
// points: 9
// A fixed grid of small blocks; the next lookup is taken at the top of the loop.
#include "lab6.h"
#include "work.h"

__global__ void look_up(float *out, const float *in, const int *tree, int n, int m)
{
    const int step = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = 0;
    float x = i < n ? in[i] : 0, sum = 0;
    while (i < n) {
        const int value = tree[node];
        const bool is_done = is_leaf(node, value, m);
        sum += part_of(value, x);
        if (is_done)
            out[i] = sum;
        i += is_done ? step : 0;
        node = is_done ? 0 : descend(node, &x);
        sum = is_done ? 0 : sum;
        if (is_done && i < n)
            x = in[i];
    }
}

void limits_tree_lookup(struct task task)
{
    look_up<<<2112, 128>>>(task.out, task.in, task.table, task.n, task.m);
}
