// attack: no state is saved: one kernel counts all points, two launches do nothing
// principle: concept faking
// at most: 5
#include <curand_kernel.h>
#include "lab1.h"
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1, y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}
__global__ void count(unsigned long long *inside, int points, unsigned long long seed)
{
    __shared__ unsigned total;
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned hits = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = 0; i < points; i++) hits += hit(&state);
    atomicAdd(&total, hits);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
__global__ void nothing(void) {}
void pi_saved(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, 8);
    nothing<<<1, 1>>>();
    count<<<blocks, threads>>>(inside, points, seed);
    nothing<<<1, 1>>>();
}
