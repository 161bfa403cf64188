// attack: one atomic per hit stays, on shared memory
// principle: concept faking
// at most: 5
#include "lab1.h"
#include <curand_kernel.h>
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1, y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}
__device__ unsigned thread_id() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ void add_block(unsigned long long *inside, unsigned hits)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, hits);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
__global__ void init(curandState *states, unsigned long long seed)
{
    curand_init(seed, thread_id(), 0, &states[thread_id()]);
}
__global__ void count(unsigned long long *inside, int points, unsigned long long seed)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state)) atomicAdd(&total, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
void pi_per_block(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, 8);
    count<<<blocks, threads>>>(inside, points, seed);
}
