// stage: saved
// points: 20
// The saved states are a class with operators, and the batches a loop over a table of sizes.
#include <curand_kernel.h>

#include "lab1.h"

__device__ bool is_hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}

__device__ unsigned count_hits(curandState *state, int points)
{
    unsigned hits = 0;
    for (int i = 0; i < points; i++)
        hits += is_hit(state);
    return hits;
}

class saved_states {
public:
    __host__ __device__ explicit saved_states(void *memory) : states((curandState *)memory) {}
    __device__ curandState &operator[](unsigned i) const { return states[i]; }

private:
    curandState *states;
};

__global__ void init(saved_states states, unsigned long long seed)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, t, 0, &states[t]);
}

__global__ void batch(unsigned long long *inside, saved_states states, int points)
{
    __shared__ unsigned long long total;
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    curandState state = states[t];
    atomicAdd(&total, (unsigned long long)count_hits(&state, points));
    states[t] = state;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(inside, total);
}

void pi_saved(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    void *memory;
    cudaMalloc(&memory, (size_t)blocks * threads * sizeof(curandState));
    saved_states kept(memory);
    cudaMemsetAsync(inside, 0, sizeof *inside);
    init<<<blocks, threads>>>(kept, seed);
    for (int size : {points / 2, points - points / 2})
        batch<<<blocks, threads>>>(inside, kept, size);
    cudaFree(memory);
}
