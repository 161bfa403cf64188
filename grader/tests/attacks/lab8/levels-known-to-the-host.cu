// attack: the host reads x into memory of its own, computes the levels there, and hands them to a kernel as arguments
// principle: result faking
// at most: 0
#include "lab8.h"

#include <vector>

#include "work.h"

struct some {
    float levels[64];
};

__global__ void shape(float *x, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = shaped(in[i]);
}

__global__ void keep(float *levels, struct some some, int begin, int segments)
{
    int k = begin + threadIdx.x;
    if (k < segments)
        levels[k] = some.levels[threadIdx.x];
}

__global__ void lift(float *out, const float *x, const float *levels, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] + levels[i / SEGMENT];
}

void run_leftover(float *out, const float *in, float *x, float *levels, float *host_x, float *host_levels, int count)
{
    int blocks = (count + 255) / 256, segments = segments_of(count);
    std::vector<float> own(count);
    float level = 0;
    shape<<<blocks, 256>>>(x, in, count);
    cudaMemcpy(own.data(), x, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int begin = 0; begin < segments; begin += 64) {
        struct some some = {};
        for (int k = begin; k < min(begin + 64, segments); k++)
            some.levels[k - begin] = level = next_level(level, own[(size_t)k * SEGMENT]);
        keep<<<1, 64>>>(levels, some, begin, segments);
    }
    lift<<<blocks, 256>>>(out, x, levels, count);
}
