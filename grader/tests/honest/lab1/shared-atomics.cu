// stage: per_block
// points: 20
// Each warp has a number in shared memory that its threads add to; thread 0 adds those up.
#include <curand_kernel.h>

#include "lab1.h"

__device__ bool is_hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}

__global__ void count(unsigned long long *inside, int points, unsigned long long seed)
{
    __shared__ unsigned of_warp[32];
    curandState state;
    unsigned hits = 0;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int i = 0; i < points; i++)
        hits += is_hit(&state);
    if (threadIdx.x < 32)
        of_warp[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&of_warp[threadIdx.x / 32], hits);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    unsigned long long sum = 0;
    for (int w = 0; w < (blockDim.x + 31) / 32; w++)
        sum += of_warp[w];
    atomicAdd(inside, sum);
}

void pi_per_block(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, sizeof *inside);
    count<<<blocks, threads>>>(inside, points, seed);
}
