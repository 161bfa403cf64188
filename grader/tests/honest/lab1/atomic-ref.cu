// stage: per_thread
// points: 30
// long: 6 s of CPU time
// One addition per thread, through a cuda::atomic_ref.
#include <cuda/atomic>
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

__global__ void count(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> all(*inside);
    all.fetch_add(count_hits(&state, points), cuda::memory_order_relaxed);
}

double pi_on_host;

void pi_per_thread(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, sizeof *inside);
    count<<<blocks, threads>>>(inside, points, seed);
    unsigned long long hits;
    cudaMemcpy(&hits, inside, sizeof hits, cudaMemcpyDeviceToHost);
    pi_on_host = 4.0 * hits / ((double)blocks * threads * points);
}
