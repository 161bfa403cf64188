/* baseline.cu - the kit's own sum in global memory: what speedups are measured against, and what is right at
 * sizes at which the CPU would take too long.
 * It is never the student's: a slower baseline would be an easy speedup. */
#include "lab4.h"

LAB_ENTRIES(reduce_fn, baseline_global);

enum {
    BLOCK = 256,
    SLICE = 1 << 24 /* elements that are added up at a time: each needs a 64-bit copy in scratch */
};

static unsigned blocks_for(long n, long elements_per_block)
{
    return (unsigned)((n + elements_per_block - 1) / elements_per_block);
}

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
}

void baseline_global(long long *sum, const int *in, long n, long long *scratch)
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
