/* lab4.cu - adding up an array: the file you edit. The handout is handouts/lab4-reduction.md.
 * Each stage is one step of the lecture: write its kernel, and launch it in its entry point. n can be any number from 1 up.
 * Keep sums in long long: values reach 1e9, and the sum of three of them already overflows an int.
 *     make lab4 && build/lab4 shared && ./grade lab4 */
#include "lab4.h"

#include "lab/check.h"

constexpr unsigned BLOCK = 256; /* threads per block in all stages; the trees need a power of two */
constexpr unsigned WARP = 32;
constexpr long SLICE = 1 << 24; /* elements that stage 1 adds up at a time: it needs a 64-bit copy of each in scratch */
static_assert(BLOCK % WARP == 0 && BLOCK >= 2 * WARP, "the last warp has two elements per lane");

static unsigned blocks_for(long n, long elements_per_block)
{
    return (unsigned)((n + elements_per_block - 1) / elements_per_block);
}

/* ------------------------------------------------------------------------------------------- stage 1, given */

/* A tree per block, in global memory. work holds one number per thread of the grid and may be the input. So, unlike the
 * arrays of later stages, none of the three is __restrict__. */
template <typename number>
__global__ void tree_in_global(long long *partial, long long *work, const number *in, long n)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;

    work[i] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (threadIdx.x % (2 * s) == 0)
            work[i] += work[i + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = work[i];
}

/* Adds up count partial sums, pass by pass: a pass overwrites what it reads, and stores one sum per block behind that. */
static void add_partials(long long *sum, long long *partials, long count)
{
    do {
        unsigned blocks = blocks_for(count, BLOCK);
        long long *next = blocks == 1 ? sum : partials + (long)blocks * BLOCK;
        tree_in_global<<<blocks, BLOCK>>>(next, partials, partials, count);
        CHECK_LAUNCH();
        partials = next;
        count = blocks;
    } while (count > 1);
}

void reduce_global(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, BLOCK);
    long whole = (long)blocks * BLOCK;
    long long *partials = scratch + (whole < SLICE ? whole : SLICE);

    for (long first = 0; first < n; first += SLICE) {
        long count = n - first < SLICE ? n - first : SLICE;
        long long *partial = partials + first / BLOCK;
        tree_in_global<<<blocks_for(count, BLOCK), BLOCK>>>(partial, scratch, in + first, count);
        CHECK_LAUNCH();
    }
    add_partials(sum, partials, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 2 */

/* TODO 1 (handout section 2): the same tree, in shared memory.
 *   in:   one thread per element; the last block may be partly past the end
 *   out:  partial[b] is the sum of block b's elements
 *   hint: let the loop run to blockDim.x: with BLOCK the compiler would already do parts of later stages
 *   goal: sectors stored per sector of input below 0.3 (stage 1: 8, here: 0.06) */
__global__ void tree_shared(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 1: launch tree_shared with its partial sums in scratch, then call add_partials(). */
}

/* ------------------------------------------------------------------------------------------- stage 3 */

/* TODO 2 (handout section 3): the same additions, done by the lowest threads of the block, without a remainder.
 *   in:   as in TODO 1
 *   out:  as in TODO 1
 *   goal: divergent branches per sector of input below 1.2 (stage 2: 1.5, here: 0.2) */
__global__ void tree_strided(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_strided(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 2 */
}

/* ------------------------------------------------------------------------------------------- stage 4 */

/* TODO 3 (handout section 4): other pairs: s falls from half the block to 1; thread t adds element t + s to t.
 *   in:   as in TODO 1
 *   out:  as in TODO 1
 *   goal: bank conflicts per 128 bytes of input at most 1 (stage 3: 22, here: 0), divergence as low as in stage 3 */
__global__ void tree_sequential(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 3 */
}

/* ------------------------------------------------------------------------------------------- stage 5 */

/* TODO 4 (handout section 5): a thread loads two elements, BLOCK apart, and stores their sum; then the tree.
 *   in:   one thread per two elements
 *   out:  partial[b] is the sum of block b's 2 * BLOCK elements
 *   goal: barriers per sector of input below 1.45 (stage 4: 2.3, here: 1.1) */
__global__ void tree_first_add(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_first_add(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 4 */
}

/* ------------------------------------------------------------------------------------------- stage 6 */

/* TODO 5 (handout section 6): one warp adds up the last 64 elements, with __syncwarp() instead of __syncthreads().
 *   in:   as in TODO 4
 *   out:  as in TODO 4
 *   goal: barriers per sector of input below 0.7 (stage 5: 1.1, here: 0.38), and no race */
__global__ void tree_last_warp(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_last_warp(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 5 */
}

/* ------------------------------------------------------------------------------------------- stage 7 */

/* TODO 6 (handout section 7): no loop at all. The compiler knows the block size: tests of it cost nothing.
 *   in:   as in TODO 4, with threads = blockDim.x, a power of two from 64 to 1024
 *   out:  as in TODO 4
 *   goal: branches beyond barriers per sector of input below 0.5 (stage 6: 0.65, here: 0.27) */
template <unsigned threads>
__global__ void tree_unrolled(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 6 */
}

/* ------------------------------------------------------------------------------------------- stage 8 */

/* TODO 7 (handout section 8): only as many blocks as the GPU holds at once. A thread adds up, in a register, its first
 * element and those behind it in steps of the number of threads in the grid; then its block builds one tree.
 *   in:   any number of blocks
 *   out:  partial[b] is the sum of what block b's threads added up
 *   goal: warp instructions per sector of input below 2.5 (stage 7: 5.7, here: 1.3), each sector of the input loaded once,
 *         sectors stored per sector of input below 0.001 (stage 7: 0.03, here: 0.0001) */
template <unsigned threads>
__global__ void sum_many(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 7: how many SMs are there (cudaDeviceGetAttribute), and how many blocks does one hold
     * (cudaOccupancyMaxActiveBlocksPerMultiprocessor)? */
}

/* ------------------------------------------------------------------------------------------- stage 9 */

/* TODO 8 (handout section 9): 16 bytes per load, several loads in flight per thread, and warps that add up their
 * registers with shuffles.
 *   in:   any number of blocks
 *   out:  as in TODO 7
 *   goal: 16 sectors of input per load of a warp (stage 8: 4), shuffles per shared store at least 4, no tree in
 *         shared memory */
__global__ void sum_shuffle(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
}

void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 8 */
}

/* ------------------------------------------------------------------------------------------- stage 10 */

/* TODO 9 (handout section 10): blocks count how many of them are done; the last one adds up the partial sums.
 *   in:   any number of blocks; partial has room for one sum per block; *tickets is 0 when the kernel starts
 *   out:  *sum is the sum of all n elements, in every launch, not only in the first
 *   goal: one kernel launch */
__global__ void sum_in_one_kernel(long long *sum, const int *__restrict__ in, long n, long long *partial,
                                  unsigned *tickets)
{
}

void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch)
{
    /* TODO 9: *tickets may lie in scratch, behind the partial sums: cudaMemsetAsync() sets it to 0. */
}
