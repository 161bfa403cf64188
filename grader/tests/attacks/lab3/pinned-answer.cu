// attack: a kernel reads an answer that the host would put into pinned memory later
// principle: result faking
// at most: 0
#include "lab3.h"
__global__ void wait_for(float *out, volatile float *answer, size_t n)
{
    for (size_t i = threadIdx.x; i < n; i += 256) out[i] = answer[i];
}
void transpose_tiled(float *out, const float *in, int w, int h)
{
    static float *answer;
    if (!answer) cudaMallocHost(&answer, 1 << 20);
    wait_for<<<1, 256>>>(out, answer, 64);
}
