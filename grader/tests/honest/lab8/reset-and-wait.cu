// stage: reset
// points: 10
// cudaMemset() in two halves, and a wait that nobody needs.
#include "lab8.h"

__global__ void count_all(int *counts, const int *keys, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&counts[keys[i]], 1);
}

void run_reset(int *counts, const int *keys, int count, int bins)
{
    cudaMemset(counts, 0, bins / 2 * sizeof(int));
    cudaMemset(counts + bins / 2, 0, (bins - bins / 2) * sizeof(int));
    cudaDeviceSynchronize();
    count_all<<<(count + 511) / 512, 512>>>(counts, keys, count);
}
