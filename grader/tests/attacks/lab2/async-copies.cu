// attack: strided loads as asynchronous copies into shared memory, which no count of loads sees
// principle: concept faking
// at most: 3
#include "lab2.h"
#include <cuda_pipeline.h>
__global__ void staged(float *out, const float *in, int count)
{
    __shared__ float kept[256];
    int first = (blockIdx.x * 256 + threadIdx.x) * 64;
    for (int i = first; i < first + 64 && i < count; i++) {
        __pipeline_memcpy_async(&kept[threadIdx.x], &in[i], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        out[i] = 2 * kept[threadIdx.x] + 1;
    }
}
void walk_unit(float *out, const float *in, struct shape shape)
{
    staged<<<(shape.count + 16383) / 16384, 256>>>(out, in, shape.count);
}
