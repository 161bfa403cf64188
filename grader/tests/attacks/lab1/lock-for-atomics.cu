// attack: an addition per thread under a lock, by plain loads and stores
// principle: concept faking
// at most: 5
#include <curand_kernel.h>
#include "lab1.h"
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1, y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}
__device__ int taken;
__global__ void locked(volatile unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned hits = 0;
    for (int i = 0; i < points; i++) hits += hit(&state);
    for (bool is_done = false; !is_done;)
        if (atomicExch(&taken, 1) == 0) {
            __threadfence();
            *inside = *inside + hits;
            __threadfence();
            atomicExch(&taken, 0);
            is_done = true;
        }
}
void pi_per_block(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, 8);
    locked<<<blocks, threads>>>(inside, points, seed);
}
