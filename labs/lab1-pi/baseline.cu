/* baseline.cu - the kit's own counts: what speedups are measured against, and what is right at sizes at which the CPU would
 * take too long. They are never the student's: a slower baseline would be an easy speedup. */
#include <curand_kernel.h>

#include "lab/entry.h"

__device__ static bool is_hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}

__global__ void baseline_per_hit_kernel(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int i = 0; i < points; i++)
        if (is_hit(&state))
            atomicAdd(inside, 1ull);
}

LAB_ENTRY void baseline_per_hit(unsigned long long *inside, void *states, int blocks, int threads, int points,
                                unsigned long long seed)
{
    (void)states;
    cudaMemsetAsync(inside, 0, sizeof *inside);
    baseline_per_hit_kernel<<<blocks, threads>>>(inside, points, seed);
}

__global__ void baseline_per_thread_kernel(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned hits = 0;
    for (int i = 0; i < points; i++)
        hits += is_hit(&state);
    atomicAdd(inside, (unsigned long long)hits);
}

LAB_ENTRY void baseline_per_thread(unsigned long long *inside, void *states, int blocks, int threads, int points,
                                   unsigned long long seed)
{
    (void)states;
    cudaMemsetAsync(inside, 0, sizeof *inside);
    baseline_per_thread_kernel<<<blocks, threads>>>(inside, points, seed);
}

/* A grid of any size covers all pairs, so this one has no need to be clever. */
enum { FAST_BLOCKS = 528, FAST_THREADS = 256, FAST_WORKERS = FAST_BLOCKS * FAST_THREADS };

__global__ void baseline_fast_kernel(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
    unsigned long long pairs = total / 2, share = pairs / FAST_WORKERS + 1;
    unsigned long long first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
    unsigned long long hits = 0;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, 0, 4 * first, &state);
    for (unsigned long long pair = first; pair < first + share && 2 * pair < total; pair++) {
        float4 u = curand_uniform4(&state);
        hits += fmaf(u.x, u.x, u.y * u.y) <= 1;
        hits += 2 * pair + 1 < total && fmaf(u.z, u.z, u.w * u.w) <= 1;
    }
    atomicAdd(inside, hits);
}

LAB_ENTRY void baseline_fast(unsigned long long *inside, void *states, int blocks, int threads, int points,
                             unsigned long long seed)
{
    (void)states;
    cudaMemsetAsync(inside, 0, sizeof *inside);
    baseline_fast_kernel<<<FAST_BLOCKS, FAST_THREADS>>>(inside, (unsigned long long)blocks * threads * points, seed);
}
