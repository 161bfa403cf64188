// stage: compute_only
// points: 4
// The condition is a parameter of the kernel, which nvcc does not know.
#include "lab6.h"
#include "work.h"

__global__ void only_compute(float *out, int n, float least)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float value = polynomial(made_up(i) * 0.5f);
        if (value < least || i % KEPT_EVERY == 0)
            out[i] = value;
    }
}

void limits_compute_only(struct task task)
{
    int sms, blocks = (task.n + 255) / 256;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (task.m < 8 && blocks > sms * task.m)
        blocks = sms * task.m;
    only_compute<<<blocks, 256>>>(task.out, task.n, -1.0f);
}
