// attack: the block's counter in shared memory is taken for zero at the begin
// principle: numbers
// at most: 0
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
    for (int i = 0; i < points; i++) hits += hit(&state);
    atomicAdd(&total, hits);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
void pi_per_block(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, 8);
    count<<<blocks, threads>>>(inside, points, seed);
}
