// stage: moved
// points: 12
// The table is copied once for many elements, as float4, by blocks of 128.
#include "lab7.h"
#include "work.h"

__global__ void find(float *out, const float *in, const float4 *table, int n)
{
    __shared__ float4 copy[ENTRIES / 4];
    const float *entries = (const float *)copy;
    if (threadIdx.x < ENTRIES / 4)
        copy[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int entry = first_entry(in[i], ENTRIES);
        float sum = 0;
#pragma unroll
        for (int k = 0; k < LOOKUPS; k++) {
            float value = entries[entry];
            sum += value;
            entry = next_entry(entry, value, ENTRIES);
        }
        out[i] = sum;
    }
}

void spaces_moved(struct task task)
{
    int blocks = (task.n + 127) / 128;
    find<<<blocks < 132 * 16 ? blocks : 132 * 16, 128>>>(task.out, task.in, (const float4 *)task.table, task.n);
}
