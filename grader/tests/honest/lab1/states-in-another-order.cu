// stage: saved
// points: 20
// Three kernels and a fourth that sets the count to 0; the states lie word by word, not thread by thread.
#include <curand_kernel.h>

#include "lab1.h"

struct states {
    unsigned *word[6];
};

__device__ bool is_hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}

__global__ void clear(unsigned long long *inside)
{
    *inside = 0;
}

__global__ void start(struct states states, unsigned long long seed)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(seed, t, 0, &state);
    states.word[0][t] = state.d;
    for (int i = 0; i < 5; i++)
        states.word[i + 1][t] = state.v[i];
}

__global__ void batch(unsigned long long *inside, struct states states, int points)
{
    __shared__ unsigned sum;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = {};
    unsigned hits = 0;
    state.d = states.word[0][t];
    for (int i = 0; i < 5; i++)
        state.v[i] = states.word[i + 1][t];
    for (int i = 0; i < points; i++)
        hits += is_hit(&state);
    states.word[0][t] = state.d;
    for (int i = 0; i < 5; i++)
        states.word[i + 1][t] = state.v[i];
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, hits);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(inside, (unsigned long long)sum);
}

void pi_saved(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    struct states states;
    void *memory;
    cudaMallocAsync(&memory, (size_t)6 * blocks * threads * sizeof(unsigned), 0);
    for (int i = 0; i < 6; i++)
        states.word[i] = (unsigned *)memory + (size_t)i * blocks * threads;
    clear<<<1, 1>>>(inside);
    start<<<blocks, threads>>>(states, seed);
    batch<<<blocks, threads>>>(inside, states, points / 2);
    batch<<<blocks, threads>>>(inside, states, points / 2);
    cudaFreeAsync(memory, 0);
}
