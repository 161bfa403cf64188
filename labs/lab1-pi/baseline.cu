/* baseline.cu - the kit's own counts: what speedups are measured against, and what is right at sizes at which the CPU would
 * take too long. They are never the student's: a slower baseline would be an easy speedup. */
#include <curand_kernel.h>

#include "lab1.h"

LAB_ENTRIES(pi_fn, baseline_per_hit, baseline_per_thread, baseline_fast);

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

void baseline_per_hit(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
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

void baseline_per_thread(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, sizeof *inside);
    baseline_per_thread_kernel<<<blocks, threads>>>(inside, points, seed);
}

/* A grid of any size covers all points, so this one has no need to be clever. */
enum { FAST_BLOCKS = 528, FAST_THREADS = 256, FAST_WORKERS = FAST_BLOCKS * FAST_THREADS };

__device__ static bool is_word_hit(unsigned word)
{
    float x = ((word >> 16) + 0.5f) / 65536, y = ((word & 0xffff) + 0.5f) / 65536;
    return fmaf(x, x, y * y) <= 1;
}

__global__ void baseline_fast_kernel(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
    unsigned long long share = (total + 3) / 4 / FAST_WORKERS + 1, hits = 0;
    unsigned long long first = (blockIdx.x * blockDim.x + threadIdx.x) * share;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, 0, 4 * first, &state);
    for (unsigned long long point = 4 * first; point < 4 * (first + share) && point < total; point += 4) {
        uint4 word = curand4(&state);
        hits += is_word_hit(word.x);
        hits += point + 1 < total && is_word_hit(word.y);
        hits += point + 2 < total && is_word_hit(word.z);
        hits += point + 3 < total && is_word_hit(word.w);
    }
    atomicAdd(inside, hits);
}

void baseline_fast(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, sizeof *inside);
    baseline_fast_kernel<<<FAST_BLOCKS, FAST_THREADS>>>(inside, (unsigned long long)blocks * threads * points, seed);
}
