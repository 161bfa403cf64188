// stage: reset
// points: 10
// A kernel of its own writes the zeros.
#include "lab8.h"

__global__ void clear(int *counts, int bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bins; i += gridDim.x * blockDim.x)
        counts[i] = 0;
}

__global__ void count_all(int *counts, const int *keys, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[keys[i]], 1);
}

void run_reset(int *counts, const int *keys, int count, int bins)
{
    clear<<<264, 512>>>(counts, bins);
    count_all<<<1056, 256>>>(counts, keys, count);
}
