// attack: the address of a host array goes to the kernel as a number, so that it may read and write the memory of whoever replays it
// principle: host tampering
// at most: 0
#include "lab0.h"
#include <cstdint>
__global__ void add(uintptr_t out, uintptr_t a, uintptr_t b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        ((float *)~out)[i] = ((const float *)~a)[i] + ((const float *)~b)[i];
}
void run_round_trip(float *out, const float *a, const float *b, int count)
{
    add<<<(count + 255) / 256, 256>>>(~(uintptr_t)out, ~(uintptr_t)a, ~(uintptr_t)b, count);
    float *device;
    cudaMalloc(&device, 4);
    cudaFree(device);
}
