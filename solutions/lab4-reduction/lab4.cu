/* lab4.cu - adding up an array, solved: each stage is one step of the lecture.
 * Stages 2 to 9 leave one partial sum per block in scratch for add_partials(); stage 10 needs one kernel.
 * Sums are 64 bits wide everywhere: three large values are already too many for 32. */
#include "lab4.h"

#include "lab/check.h"

constexpr unsigned BLOCK = 256; /* threads per block in all stages; the trees need a power of two */
constexpr unsigned WARP = 32;
constexpr long SLICE = 1 << 24; /* elements that stage 1 adds up at a time: it needs a 64-bit copy of each in scratch */
constexpr int IN_FLIGHT = 4;    /* vector loads that a thread of stages 9 and 10 has in flight at once */
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

/* The same tree in shared memory. Global memory is read once per element and written once per block; what the
 * tree needs in between never leaves the SM. Threads past the end bring a zero, which changes no sum, and stay
 * for the barriers. */
__global__ void tree_shared(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * BLOCK + t;

    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            value[t] += value[t + s];
        __syncthreads(); /* outside of the if: all threads of the block must come here */
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_shared(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, BLOCK);

    tree_shared<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 3 */

/* The same additions, done by other threads: thread t takes the t-th pair of its level. Those with work have the
 * lowest numbers, so they fill whole warps, and the other warps skip the level. The remainder, a slow operation,
 * is gone too. The price: neighbours are 2 * s elements apart and meet in the same bank. */
__global__ void tree_strided(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * BLOCK + t;

    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned left = 2 * s * t;
        if (left < blockDim.x)
            value[left] += value[left + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_strided(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, BLOCK);

    tree_strided<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 4 */

/* Sums may be regrouped: pairs are s apart with s falling, so neighbouring threads touch neighbouring elements
 * and no bank twice. Still only the lowest threads work. */
__global__ void tree_sequential(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * BLOCK + t;

    value[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            value[t] += value[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_sequential(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, BLOCK);

    tree_sequential<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 5 */

/* In stage 4 half of the threads did nothing but load. Now every thread adds once before the tree begins, and half
 * as many blocks pay for a tree. The two loads do not depend on each other: both are under way at once. */
__global__ void tree_first_add(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * (2 * BLOCK) + t;

    long long low = i < n ? in[i] : 0;
    long long high = i + BLOCK < n ? in[i + BLOCK] : 0;
    value[t] = low + high;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            value[t] += value[t + s];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = value[0];
}

void reduce_first_add(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, 2 * BLOCK);

    tree_first_add<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 6 */

/* The last 64 elements, by the 32 threads of one warp; the running sum stays in a register. Since Volta the lanes
 * of a warp need not run in step: what one lane stores, another may read only after a __syncwarp(), and what one
 * lane reads, another may overwrite only after a second one. */
__device__ long long sum_of_last_64(long long *value, unsigned t)
{
    long long mine = value[t] + value[t + WARP];

    for (unsigned s = WARP / 2; s > 0; s /= 2) {
        value[t] = mine;
        __syncwarp();
        mine += value[t + s]; /* in bounds: at most 31 + 16; what lanes from s on compute is not used */
        __syncwarp();
    }
    return mine;
}

/* Six of the eight levels fit into one warp: the block's other warps need not wait at barriers for them. */
__global__ void tree_last_warp(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[BLOCK];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * (2 * BLOCK) + t;

    long long low = i < n ? in[i] : 0;
    long long high = i + BLOCK < n ? in[i + BLOCK] : 0;
    value[t] = low + high;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > WARP; s /= 2) {
        if (t < s)
            value[t] += value[t + s];
        __syncthreads();
    }
    if (t < WARP) {
        long long total = sum_of_last_64(value, t);
        if (t == 0)
            partial[blockIdx.x] = total;
    }
}

void reduce_last_warp(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, 2 * BLOCK);

    tree_last_warp<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 7 */

/* One level of the tree. The compiler knows both numbers: a level that the block is too small for vanishes. */
template <unsigned threads, unsigned s>
__device__ void tree_level(long long *value, unsigned t)
{
    if (threads < 2 * s)
        return;
    if (t < s)
        value[t] += value[t + s];
    __syncthreads();
}

/* With the block size as a template parameter no loop is left: no counter, no comparison, no branch back. */
template <unsigned threads>
__global__ void tree_unrolled(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[threads];
    unsigned t = threadIdx.x;
    long i = (long)blockIdx.x * (2 * threads) + t;

    long long low = i < n ? in[i] : 0;
    long long high = i + threads < n ? in[i + threads] : 0;
    value[t] = low + high;
    __syncthreads();
    tree_level<threads, 512>(value, t);
    tree_level<threads, 256>(value, t);
    tree_level<threads, 128>(value, t);
    tree_level<threads, 64>(value, t);
    if (t < WARP) {
        long long total = sum_of_last_64(value, t);
        if (t == 0)
            partial[blockIdx.x] = total;
    }
}

void reduce_unrolled(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = blocks_for(n, 2 * BLOCK);

    tree_unrolled<BLOCK><<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 8 */

/* As many blocks as the GPU holds at once, but no more than there is work for. More would only wait for their turn
 * and pay for a tree each. */
template <typename kernel>
static unsigned resident_blocks(kernel function, long n, long elements_per_block)
{
    int device, sms, per_sm;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, function, BLOCK, 0));
    unsigned needed = blocks_for(n, elements_per_block);
    unsigned resident = (unsigned)(sms * per_sm);
    return needed < resident ? needed : resident;
}

/* A thread adds up many elements in a register, a grid's width apart so that each load of a warp is contiguous;
 * then its block builds one tree. The work in trees is now a fraction of a percent of the whole. */
template <unsigned threads>
__global__ void sum_many(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    __shared__ long long value[threads];
    unsigned t = threadIdx.x;
    long step = (long)gridDim.x * threads;
    long long mine = 0;

#pragma unroll 4 /* four loads are under way at once */
    for (long i = (long)blockIdx.x * threads + t; i < n; i += step)
        mine += in[i];
    value[t] = mine;
    __syncthreads();
    tree_level<threads, 512>(value, t);
    tree_level<threads, 256>(value, t);
    tree_level<threads, 128>(value, t);
    tree_level<threads, 64>(value, t);
    if (t < WARP) {
        long long total = sum_of_last_64(value, t);
        if (t == 0)
            partial[blockIdx.x] = total;
    }
}

void reduce_many(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = resident_blocks(sum_many<BLOCK>, n, BLOCK);

    sum_many<BLOCK><<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 9 */

__device__ long long sum_of_four(int4 v)
{
    return (long long)v.x + v.y + ((long long)v.z + v.w);
}

/* This thread's share of the input. Four ints come with one 16-byte load, and IN_FLIGHT loads are issued before
 * the first result is needed: memory is far away, and only many bytes under way keep it busy. */
__device__ long long sum_of_share(const int *in, long n)
{
    const int4 *in4 = (const int4 *)in; /* cudaMalloc aligns to 256 bytes */
    long n4 = n / 4;
    long step = (long)gridDim.x * BLOCK;
    long first = (long)blockIdx.x * BLOCK + threadIdx.x;
    long i = first;
    long long mine = 0;

    for (; i + (IN_FLIGHT - 1) * step < n4; i += IN_FLIGHT * step) {
        int4 v[IN_FLIGHT];
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; k++)
            v[k] = in4[i + k * step];
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; k++)
            mine += sum_of_four(v[k]);
    }
    for (; i < n4; i += step)
        mine += sum_of_four(in4[i]);
    if (first < n - 4 * n4) /* up to three elements are left */
        mine += in[4 * n4 + first];
    return mine;
}

/* Lanes pass registers to each other: no shared memory, and a shuffle itself waits for the lanes of its mask. */
__device__ long long sum_of_warp(long long mine)
{
    for (int s = WARP / 2; s > 0; s /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

/* The block's sum, in thread 0. Two trees of shuffles with one barrier between them. Before a block calls it again, another
 * barrier must have passed: the first warp may still read of_warp. */
__device__ long long sum_of_block(long long mine)
{
    __shared__ long long of_warp[BLOCK / WARP];
    unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    mine = sum_of_warp(mine);
    if (lane == 0)
        of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0)
        mine = sum_of_warp(lane < BLOCK / WARP ? of_warp[lane] : 0);
    return mine;
}

__global__ void sum_shuffle(long long *__restrict__ partial, const int *__restrict__ in, long n)
{
    long long total = sum_of_block(sum_of_share(in, n));

    if (threadIdx.x == 0)
        partial[blockIdx.x] = total;
}

void reduce_shuffle(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = resident_blocks(sum_shuffle, n, 4 * BLOCK);

    sum_shuffle<<<blocks, BLOCK>>>(scratch, in, n);
    CHECK_LAUNCH();
    add_partials(sum, scratch, blocks);
}

/* ------------------------------------------------------------------------------------------- stage 10 */

/* Blocks take a ticket when their partial sum is written; the one with the last ticket knows that all are there. */
__device__ bool is_last_block(unsigned *tickets)
{
    __shared__ bool is_last;

    if (threadIdx.x == 0) {
        __threadfence(); /* the partial sum is visible before the ticket is */
        is_last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence(); /* nothing is read before the ticket is taken */
    }
    __syncthreads();
    return is_last;
}

/* The bound tells ptxas how large blocks are: it then finds a way with 32 registers, and an SM holds 8 blocks.
 * Blocks read what other blocks wrote to partial: it is not __restrict__. */
__global__ void __launch_bounds__(BLOCK)
sum_in_one_kernel(long long *sum, const int *__restrict__ in, long n, long long *partial, unsigned *tickets)
{
    long long total = sum_of_block(sum_of_share(in, n));

    if (threadIdx.x == 0)
        partial[blockIdx.x] = total; /* the thread that takes the ticket: its fence covers this store */
    if (!is_last_block(tickets))
        return;

    long long mine = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        mine += partial[i];
    total = sum_of_block(mine);
    if (threadIdx.x == 0)
        *sum = total;
}

/* The tickets lie in the caller's scratch, behind the partial sums: two sums at a time, on two streams, do not take
 * each other's tickets, as they would from one __device__ variable. */
void reduce_one_kernel(long long *sum, const int *in, long n, long long *scratch)
{
    unsigned blocks = resident_blocks(sum_in_one_kernel, n, 4 * BLOCK);
    unsigned *tickets = (unsigned *)(scratch + blocks);

    CHECK(cudaMemsetAsync(tickets, 0, sizeof *tickets));
    sum_in_one_kernel<<<blocks, BLOCK>>>(sum, in, n, scratch, tickets);
    CHECK_LAUNCH();
}
