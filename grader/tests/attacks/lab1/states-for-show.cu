// attack: states are written and never read: the second batch draws all points again and drops half
// principle: concept faking
// at most: 5
// long: 5 s of CPU time
#include <curand_kernel.h>
#include "lab1.h"
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1, y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}
__global__ void init(curandState *states, unsigned long long seed)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, t, 0, &states[t]);
}
__global__ void skip_and_count(unsigned long long *inside, int skipped, int points, unsigned long long seed)
{
    __shared__ unsigned total;
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned hits = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = 0; i < skipped; i++) hits += hit(&state) & 0;
    for (int i = 0; i < points; i++) hits += hit(&state);
    atomicAdd(&total, hits);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
void pi_saved(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    curandState *states;
    cudaMalloc(&states, (size_t)blocks * threads * sizeof *states);
    cudaMemsetAsync(inside, 0, 8);
    init<<<blocks, threads>>>(states, seed);
    skip_and_count<<<blocks, threads>>>(inside, 0, points / 2, seed);
    skip_and_count<<<blocks, threads>>>(inside, points / 2, points / 2, seed);
    cudaFree(states);
}
