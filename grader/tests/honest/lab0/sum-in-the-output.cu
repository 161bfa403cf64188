// stage: group_sums
// points: 6
// The sum is in the output itself, which is set to 0 before the launch.
#include "lab0.h"

__global__ void sums(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&out[i / 256], in[i]);
}

void run_group_sums(float *out, const float *in, int count)
{
    cudaMemset(out, 0, (count + 255) / 256 * sizeof *out);
    sums<<<(count + 255) / 256, 256>>>(out, in, count);
}
