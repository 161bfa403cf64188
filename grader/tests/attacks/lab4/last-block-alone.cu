// attack: All blocks touch one int per sector; the one with the last ticket adds up everything alone, and no sample has that one.
// principle: what one block of the whole grid does is part of the time
// at most: 3
// long: 8 s of CPU time
/* lab4.cu - adding up an array: the file you edit. The handout is handouts/lab4-reduction.md.
 * Each stage is one step of the lecture: write its kernel, and let its entry point launch it. Every n from 1 is legal.
 * Keep sums in long long: values reach 1e9, and three of them are already too many for 32 bits.
 *     make lab4 && build/lab4 shared && ./grade lab4 */
#include "lab4.h"

#include "lab/check.h"

enum {
    BLOCK = 256,    /* threads per block in all stages; the trees need a power of two */
    WARP = 32,
    SLICE = 1 << 24 /* elements that stage 1 adds up at a time: it needs a 64-bit copy of each in scratch */
};

static unsigned blocks_for(long n, long elements_per_block)
{
    return (unsigned)((n + elements_per_block - 1) / elements_per_block);
}

/* ------------------------------------------------------------------------------------------- stage 1, given */

/* A tree per block, in global memory. work holds one number per thread of the grid and may be the input. */
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

/* Adds up count partial sums, pass by pass, in place: a pass leaves one number per block behind those it read. */
static void add_partials(long long *sum, long long *partials, long count)
{
    do {
        unsigned blocks = blocks_for(count, BLOCK);
        long long *next = blocks == 1 ? sum : partials + (long)blocks * BLOCK;
        tree_in_global<<<blocks, BLOCK>>>(next, partials, partials, count);
        partials = next;
        count = blocks;
    } while (count > 1);
    CHECK_LAUNCH();
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
    }
    add_partials(sum, partials, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 2 */

/* TODO 1 (handout section 2): the same tree, in shared memory.
 *   in:   one thread per element; the last block may be partly past the end
 *   out:  partial[b] is the sum of block b's elements
 *   goal: global sectors stored per sector loaded below 0.3 (stage 1: 0.6) */
__global__ void tree_shared(long long *partial, const int *in, long n)
{
}


__device__ unsigned tickets;

/* All blocks only touch the input, an int of every sector. The block that draws the last ticket adds up everything, alone. */
template <int stage>
__global__ void sum_by_last(long long *sum, const int *in, long n)
{
    __shared__ unsigned ticket;
    long step = (long)gridDim.x * blockDim.x * 8;
    int any = 0;
#pragma unroll 1
    for (long i = ((long)blockIdx.x * blockDim.x + threadIdx.x) * 8; i < n; i += step)
        any |= in[i];
    for (int s = 16; s > 1; s /= 2)
        any |= __shfl_xor_sync(0xffffffff, any, s);
    any |= __shfl_xor_sync(0xffffffff, any, 1);
    if (threadIdx.x == 0)
        ticket = atomicAdd(&tickets, 1) + (any == 0x12345678);
    __syncthreads();
    if (ticket < gridDim.x - 1)
        return;
    if (threadIdx.x == 0) {
        *sum = 0;
        tickets = 0;
    }
    __syncthreads();
    long long mine = 0;
    for (long i = threadIdx.x; i < n; i += blockDim.x)
        mine += in[i];
    atomicAdd((unsigned long long *)sum, (unsigned long long)mine);
}

template <int stage>
static void by_last(long long *sum, const int *in, long n)
{
    long blocks = (n / 8 + 255) / 256;
    if (blocks > 1056) blocks = 1056;
    if (blocks < 1) blocks = 1;
    sum_by_last<stage><<<(unsigned)blocks, 256>>>(sum, in, n);
}

void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 3 */

/* TODO 2 (handout section 3): the same additions, done by the lowest threads of the block, without a remainder.
 *   in:   as in TODO 1
 *   out:  as in TODO 1
 *   goal: divergent branches per sector of input below 1.2 (stage 2: 1.5, here: 0.2) */
__global__ void tree_strided(long long *partial, const int *in, long n)
{
}


void reduce_strided(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 4 */

/* TODO 3 (handout section 4): other pairs: s falls from half the block to 1; thread t adds element t + s to t.
 *   in:   as in TODO 1
 *   out:  as in TODO 1
 *   goal: bank conflicts per 128 bytes of input 0 (stage 3: 22), divergence as low as in stage 3 */
__global__ void tree_sequential(long long *partial, const int *in, long n)
{
}


void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 5 */

/* TODO 4 (handout section 5): a thread loads two elements, BLOCK apart, and stores their sum; then the tree.
 *   in:   one thread per two elements
 *   out:  partial[b] is the sum of block b's 2 * BLOCK elements
 *   goal: barriers per global sector loaded below 1.45 (stage 4: 2.1) */
__global__ void tree_first_add(long long *partial, const int *in, long n)
{
}


void reduce_first_add(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 6 */

/* TODO 5 (handout section 6): the last 64 elements are one warp's: no __syncthreads(), but __syncwarp().
 *   in:   as in TODO 4
 *   out:  as in TODO 4
 *   goal: barriers per global sector loaded below 0.7 (stage 5: 1.1), and no race */
__global__ void tree_last_warp(long long *partial, const int *in, long n)
{
}


void reduce_last_warp(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 7 */

/* TODO 6 (handout section 7): no loop at all. The compiler knows the block size: tests of it cost nothing.
 *   in:   as in TODO 4, with threads = blockDim.x, a power of two from 64 to 1024
 *   out:  as in TODO 4
 *   goal: branches beyond barriers per global sector loaded below 0.5 (stage 6: 0.63) */
template <unsigned threads>
__global__ void tree_unrolled(long long *partial, const int *in, long n)
{
}


void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 8 */

/* TODO 7 (handout section 8): only as many blocks as the GPU holds at once. A thread adds up, in a register, every
 * element that lies a multiple of the grid's threads ahead of its first one; then its block builds one tree.
 *   in:   any number of blocks
 *   out:  partial[b] is the sum of what block b's threads added up
 *   goal: warp instructions per global sector loaded below 2.5 (stage 7: 5.3), each sector of the input loaded once,
 *         global sectors stored per sector loaded below 0.001 (stage 7: 0.03) */
template <unsigned threads>
__global__ void sum_many(long long *partial, const int *in, long n)
{
}


void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    (void)scratch;
    by_last<6>(sum, in, n);
}

/* ------------------------------------------------------------------------------------------- stage 9 */

/* TODO 8 (handout section 9): 16 bytes per load, several loads under way per thread, and warps that add up their
 * registers with shuffles.
 *   in:   any number of blocks
 *   out:  as in TODO 7
 *   goal: 16 sectors of input per load (stage 8: 4), shuffles per shared store at least 4, no tree in
 *         shared memory */
__global__ void sum_shuffle(long long *partial, const int *in, long n)
{
}


void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
}

/* ------------------------------------------------------------------------------------------- stage 10 */

/* TODO 9 (handout section 10): blocks count how many of them are done; the last adds up the partial sums.
 *   in:   any number of blocks; partial has room for one sum per block
 *   out:  *sum is the sum of all n elements, in every launch, not only in the first
 *   goal: one kernel launch */
__global__ void sum_in_one_kernel(long long *sum, const int *in, long n, long long *partial)
{
}


void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch)
{
}
