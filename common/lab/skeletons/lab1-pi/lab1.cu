/* lab1.cu - pi from random points, in five steps and a bonus. You edit only this file.
 * Each stage has an entry point at the end of its section. All get the same parameters (see lab1.h) and store the number
 * of points inside the circle in *inside, which is in device memory. Every stage has one exact right answer.
 *
 *   per_hit     one atomic addition for every hit            given: the baseline
 *   per_thread  one for every thread                         TODO 1
 *   per_block   one for every block                          TODO 2
 *   saved       generator states that outlive a kernel       TODO 3
 *   fast        Philox, float, a grid that fits the device   TODO 4
 *   tuned       Philox by hand                               TODO 5, bonus
 *
 * make lab1 && ./grade lab1          one stage without a grade: build/lab1 per_thread */
#include <curand_kernel.h>

#include "lab/check.h"
#include "lab1.h"

/* ------------------------------------------------------------------------------------------- given, for all stages */

/* With an explicit fused multiply-add every compiler counts a point on the rim in the same way. */
__device__ bool is_inside(double x, double y)
{
    return fma(x, x, y * y) <= 1;
}

__device__ bool is_inside(float x, float y)
{
    return fmaf(x, x, y * y) <= 1;
}

/* Draws the next point of a thread's sequence, x first, both in [-1, 1]. */
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return is_inside(x, y);
}

__device__ unsigned thread_id(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ------------------------------------------------------------------------------------------- per_hit: given */

__global__ void count_per_hit(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state))
            atomicAdd(inside, 1ull);
}

void pi_per_hit(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_per_hit<<<blocks, threads>>>(inside, points, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- per_thread */

__device__ unsigned long long counter;
double pi_on_host; /* the host's estimate: build/lab1 shows it */

/* TODO 1 (handout section 2): the in-class exercise.
 *   in:   points, seed; thread t draws the points of sequence t, as in count_per_hit
 *   out:  each thread counts its hits in a local variable, then adds them to `counter` once
 *   goal: one atomic request per warp */
__global__ void count_per_thread(int points, unsigned long long seed)
{
}

/* TODO 1, continued: set `counter` to 0 (write a tiny kernel for it), launch count_per_thread, then copy `counter`
 *   - to *inside: both are in device memory, so use cudaMemcpyFromSymbolAsync with cudaMemcpyDeviceToDevice;
 *   - to the host, as in class: cudaMemcpyFromSymbol to a variable of yours, from which you compute pi_on_host.
 *   The entry point is called many times: each call starts from 0. During grading the host reads zeros.
 *   goal: one copy of the count to the host */
void pi_per_thread(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
}

/* ------------------------------------------------------------------------------------------- per_block */

/* TODO 2 (handout section 3): the sum of one block.
 *   in:   value, one of each thread; blockDim.x is any number from 1 to 1024
 *   out:  thread 0 returns the sum of the block's values, the others any value. A kernel may call it twice.
 *   goal: no atomic in global memory */
__device__ unsigned long long block_sum(unsigned long long value)
{
    return 0;
}

/* TODO 2, continued: count as before, sum the block, and let one thread add the sum to *inside (pi_per_block sets it to 0).
 *   goal: one atomic request per block */
__global__ void count_per_block(unsigned long long *inside, int points, unsigned long long seed)
{
}

void pi_per_block(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
}

/* ------------------------------------------------------------------------------------------- saved */

/* TODO 3 (handout section 4): thread t writes the start of sequence t to states[t].
 *   in:   seed; an array of one state per thread. Call curand_init on a local variable, and write that once.
 *   out:  states from which a later kernel can continue */
__global__ void init_states(curandState *states, unsigned long long seed)
{
}

/* TODO 3, continued: load states[t], draw `points` points, add the hits to *inside, and store the new state in states[t].
 *   Work on a copy in a local variable: read memory once and write it once.
 *   goal: one atomic request per block; three launches in total */
__global__ void count_batch(unsigned long long *inside, curandState *states, int points)
{
}

/* TODO 3, continued: set *inside to 0, allocate blocks * threads states, init_states, two batches of points / 2, free.
 *   in:   points is even
 *   out:  the same number as per_block gives for the same points and seed */
void pi_saved(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
}

/* ------------------------------------------------------------------------------------------- fast */

/* TODO 4 (handout section 5): Philox, float, four points at a time.
 *   in:   total, the number of points; seed. Points 4q to 4q + 3 are the four words of Philox's output block q:
 *         curand_init(seed, 0, 4 * q, &state) jumps there, and each curand4(&state) gives one block as a uint4.
 *         A word is a point: x = ((word >> 16) + 0.5f) / 65536, y = ((word & 0xffff) + 0.5f) / 65536,
 *         and is_inside(x, y) says whether it is a hit in a quarter of the circle.
 *   out:  each thread counts a contiguous range of output blocks; the ranges cover all points once, for any grid.
 *         The last block gives the rest: total % 4 points, or all four.
 *   goal: no fp64 instruction; one atomic request per block of threads */
__global__ void count_fast(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
}

/* TODO 4, continued: launch a grid that fits the device: cudaOccupancyMaxActiveBlocksPerMultiprocessor,
 *   cudaDevAttrMultiProcessorCount. Here blocks and threads only give the number of points, which needs 64 bits. */
void pi_fast(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
}

/* ------------------------------------------------------------------------------------------- tuned: bonus */

/* TODO 5 (handout section 6): the same count as fast, with your own code for Philox, tuned for the loop.
 *   out:  the same points and the same number as fast
 *   goal: at most 24 integer products for four points of a thread (fast: 40), and twice the speed of per_thread */
void pi_tuned(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
}
