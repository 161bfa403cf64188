// stage: leftover
// points: 18
// What the rest needs is gathered first, and x is never stored.
#include "lab8.h"
#include "work.h"

__global__ void gather(float *firsts, const float *in, int segments)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < segments)
        firsts[k] = shaped(in[(size_t)k * SEGMENT]);
}

__global__ void rest(float *levels, const float *__restrict__ firsts, int segments)
{
    __shared__ float level[512];
    float last = 0;
    for (int begin = 0; begin < segments; begin += 512) {
        int t = threadIdx.x, k = begin + t, most = min(512, segments - begin);
        if (k < segments)
            level[t] = firsts[k];
        __syncthreads();
        if (t == 0)
            for (int j = 0; j < most; j++)
                level[j] = last = next_level(last, level[j]);
        __syncthreads();
        if (k < segments)
            levels[k] = level[t];
    }
}

__global__ void finish(float *out, const float *in, const float *levels, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = shaped(in[i]) + levels[i / SEGMENT];
}

void run_leftover(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
    int segments = segments_of(count);
    gather<<<(segments + 127) / 128, 128>>>(x, in, segments);
    rest<<<1, 512>>>(levels, x, segments);
    finish<<<(count + 255) / 256, 256>>>(out, in, levels, count);
}
