// stage: tree_lookup
// points: 10
// A fixed grid; a lane goes down first, and looks whether it is at a leaf afterwards.
#include "lab6.h"
#include "work.h"

__global__ void look_up(float *out, const float *in, const int *tree, int n, int m)
{
    const int step = gridDim.x * blockDim.x, root = tree[0];
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = 0, value = root;
    if (i >= n)
        return;
    float x = in[i], sum = part_of(value, x);
    for (;;) {
        if (is_leaf(node, value, m)) {
            out[i] = sum;
            i += step;
            if (i >= n)
                return;
            x = in[i];
            node = 0;
            sum = 0;
        } else {
            node = descend(node, &x);
        }
        value = tree[node];
        sum += part_of(value, x);
    }
}

void limits_tree_lookup(struct task task)
{
    look_up<<<1056, 256>>>(task.out, task.in, task.table, task.n, task.m);
}
