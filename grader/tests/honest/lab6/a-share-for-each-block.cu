// stage: waves
// points: 9
// A run of elements for each block, as equal as they can be.
#include "lab6.h"
#include "work.h"

enum { FEW = 64, RESERVED = 27648 };

__global__ void save_shares(float *out, const float *in, int n)
{
    int begin = (int)((long)n * blockIdx.x / gridDim.x), end = (int)((long)n * (blockIdx.x + 1) / gridDim.x);
    for (int i = begin + threadIdx.x; i < end; i += FEW)
        out[i] = save(rate_of(in[i], ACCOUNTS - 1), LONG);
}

void limits_waves(struct task task)
{
    int sms, per_sm;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, save_shares, FEW, RESERVED);
    save_shares<<<sms * per_sm, FEW, RESERVED>>>(task.out, task.in, task.n);
}
