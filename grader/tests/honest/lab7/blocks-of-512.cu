// stage: large_shared
// points: 9
// long: 6 s of CPU time
// Blocks of 512 threads, the grid from the number of SMs.
#include "lab7.h"
#include "work.h"

extern __shared__ float entries[];

__global__ void find(float *out, const float *in, const float *table, int n)
{
    for (int k = threadIdx.x; k < LARGE_ENTRIES; k += blockDim.x)
        entries[k] = table[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int entry = first_entry(in[i], LARGE_ENTRIES);
        float sum = 0;
        for (int k = 0; k < LOOKUPS; k++) {
            float value = entries[entry];
            sum += value;
            entry = next_entry(entry, value, LARGE_ENTRIES);
        }
        out[i] = sum;
    }
}

void spaces_large_shared(struct task task)
{
    int sms, bytes = LARGE_ENTRIES * sizeof(float);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaFuncSetAttribute(find, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    find<<<3 * sms, 512, bytes>>>(task.out, task.in, task.table, task.n);
}
