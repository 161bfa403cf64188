// attack: an atomic per hit stays, spelled as a reduction in PTX
// principle: concept faking
// at most: 7
#include <curand_kernel.h>
#include "lab1.h"
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1, y = 2 * curand_uniform_double(state) - 1;
    return fma(x, x, y * y) <= 1;
}
__global__ void per_hit(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state)) asm volatile("red.relaxed.gpu.global.add.u64 [%0], 1;" :: "l"(inside) : "memory");
}
void pi_per_thread(unsigned long long *inside, int blocks, int threads, int points,
             unsigned long long seed)
{
    cudaMemsetAsync(inside, 0, 8);
    per_hit<<<blocks, threads>>>(inside, points, seed);
    unsigned long long hits;
    cudaMemcpy(&hits, inside, sizeof hits, cudaMemcpyDeviceToHost);
}
