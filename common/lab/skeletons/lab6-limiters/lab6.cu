/* lab6.cu - what limits a kernel: the file you edit.
 * Stages come in pairs: a given kernel that is limited by one thing, and your step, which removes the limit. work.h holds the
 * computation for one element: do not change it. lab6.h describes struct task.
 *     make lab6 && build/lab6 block_size && ./grade lab6 */
#include "lab6.h"

#include "lab/answers.h"
#include "lab/check.h"
#include "work.h"

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* ---- stage 1, given: blocks of one warp ------------------------------------------------------------------ */

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scaled(in[i]);
}

/* task.m is the number of threads per block, at most 1024; the timed case has 32. */
void limits_tiny_blocks(struct task task)
{
    int threads = task.m < 1024 ? task.m : 1024;
    scale<<<blocks_for(task.n, threads), threads>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 2: block_size ---------------------------------------------------------------------------------- */

/* TODO 1 (handout section 1): predict, sweep stage 1, then launch scale() with the best number of threads per block.
 *   first answer:  the least threads per block with which an SM of an H200 can fill its places for warps: 1, 2, 4, ..., 1024
 *   second answer: what limits blocks of that size; enum obstacle in work.h. 0 and NOT_FOUND: not given
 *   in:   task.n elements of task.in; task.m is for stage 1 alone
 *   out:  task.out[i] = scaled(task.in[i]); task.answers from give_answers()
 *   goal: an SM's places for warps are filled (stage 1: half of them); 3 times as fast as stage 1 */
static const struct answers block_answers = {{choice_of_power(0), NOT_FOUND}};

void limits_block_size(struct task task)
{
    /* TODO 1: launch scale() */
    give_answers(task, block_answers, ABOUT_BLOCKS);
    CHECK_LAUNCH();
}

/* ---- stage 3, given: a block per tile, for any number of tiles ---------------------------------------------- */

enum {
    FEW = 64,         /* threads per block */
    PER_THREAD = 64,  /* elements */
    TILE = FEW * PER_THREAD,
    RESERVED = 27648  /* bytes of shared memory that each block asks for: an H200's SM holds 8 such blocks */
};

__global__ void save_tiles(float *out, const float *in, int n)
{
    for (int k = 0; k < PER_THREAD; k++) {
        int i = blockIdx.x * TILE + k * FEW + threadIdx.x;
        if (i < n)
            out[i] = save(rate_of(in[i], ACCOUNTS - 1), LONG);
    }
}

void limits_two_waves(struct task task)
{
    save_tiles<<<blocks_for(task.n, TILE), FEW, RESERVED>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 4: waves ---------------------------------------------------------------------------------------- */

/* TODO 2 (handout section 2): launch as many blocks as all SMs hold at once, each with RESERVED bytes as above. Distribute
 * the elements one by one, in a grid-stride loop.
 *   in:   task.n elements of task.in; task.n can be smaller or larger than the number of threads
 *   out:  as stage 3
 *   goal: no second wave; 1.4 times as fast as stage 3
 *   call: cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) and
 *         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, shared_bytes) */
__global__ void save_strided(float *out, const float *in, int n)
{
}

void limits_waves(struct task task)
{
}

/* ---- stage 5, given: as many warps as an SM holds --------------------------------------------------------- */

/* TERMS sums are alive at once. nvcc keeps as many as it can in registers, and the rest in local memory. */
template <int BLOCKS_PER_SM>
__global__ void __launch_bounds__(ROUND_STEP, BLOCKS_PER_SM) power_sums(float *out, const float *in, int n)
{
    int i = blockIdx.x * ROUND_STEP + threadIdx.x;
    if (i >= n)
        return;
    float sum[TERMS] = {}, total = 0;
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        int from = i + round * ROUND_STEP;
        float x = in[from < n ? from : i], power = 1;
#pragma unroll
        for (int t = 0; t < TERMS; t++) {
            power *= x;
            sum[t] = sum[t] * 0.5f + power;
        }
    }
#pragma unroll
    for (int t = 0; t < TERMS; t++)
        total += sum[t] * (1.0f / (t + 1));
    out[i] = total;
}

void limits_all_warps(struct task task)
{
    power_sums<8><<<blocks_for(task.n, ROUND_STEP), ROUND_STEP>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 6: registers ------------------------------------------------------------------------------------ */

/* TODO 3 (handout section 3): power_sums<1> to power_sums<8> compute the same. Let host code find a variant that uses no local
 * memory and leaves room for many warps, and launch it. You need no new kernel.
 *   in:   task.n elements of task.in
 *   out:  as stage 5
 *   goal: no spills to local memory, and an occupancy of at least 0.45; 3 times as fast as stage 5
 *   call: cudaFuncGetAttributes(&attributes, power_sums<8>); a cudaFuncAttributes has numRegs and localSizeBytes */
void limits_registers(struct task task)
{
}

/* ---- stage 7, given: one account after the other ------------------------------------------------------------- */

enum { SAVINGS_BLOCK = 128 };

__global__ void save_in_turn(float *out, const float *in, int n)
{
    int i = blockIdx.x * SAVINGS_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int a = 0; a < ACCOUNTS; a++) {
        float rate = rate_of(in[i], a), balance = 0;
#pragma unroll 4
        for (int k = 0; k < PERIODS; k++)
            balance = balance * rate + 0.5f;
        sum += balance;
    }
    out[i] = sum;
}

void limits_one_chain(struct task task)
{
    save_in_turn<<<blocks_for(task.n, SAVINGS_BLOCK), SAVINGS_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 8: ilp ------------------------------------------------------------------------------------------ */

/* TODO 4 (handout section 4): compute one period of all ACCOUNTS accounts of an element before you begin the next period.
 *   in:   task.n elements of task.in; the timed case has one warp per scheduler
 *   out:  as stage 7
 *   goal: four or eight independent instructions in a row; 2.7 times as fast as stage 7 */
__global__ void save_together(float *out, const float *in, int n)
{
}

void limits_ilp(struct task task)
{
}

/* ---- stage 9, given: one load in flight -------------------------------------------------------------------- */

enum { COLUMN_BLOCK = 256 };

__global__ void sum_columns(float *out, const float *in, int n, int m)
{
    int column = blockIdx.x * COLUMN_BLOCK + threadIdx.x;
    if (column >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int row = 0; row < m; row++)
        sum += in[(size_t)row * n + column];
    out[column] = sum;
}

void limits_one_load(struct task task)
{
    sum_columns<<<blocks_for(task.n, COLUMN_BLOCK), COLUMN_BLOCK>>>(task.out, task.in, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 10: mlp ----------------------------------------------------------------------------------------- */

/* TODO 5 (handout section 5): load eight rows before you use the first of them.
 *   in:   task.m rows of task.n floats in task.in; m need not be a multiple of eight
 *   out:  task.out[column] = the sum of its m elements
 *   goal: eight loads in flight per thread; 2.4 times as fast as stage 9 */
__global__ void sum_columns_ahead(float *out, const float *in, int n, int m)
{
}

void limits_mlp(struct task task)
{
}

/* ---- stage 11, given: neighbours are of different kinds ------------------------------------------------------ */

enum { ORDER_BLOCK = 256 };

__global__ void treat_as_they_come(float *out, const float *in, int n)
{
    int i = blockIdx.x * ORDER_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(i % KINDS, in[i]);
}

void limits_mixed(struct task task)
{
    treat_as_they_come<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 12: static_order -------------------------------------------------------------------------------- */

/* TODO 6 (handout section 6): choose which thread takes which element. All lanes of a warp must have elements of one kind.
 *   in:   task.n elements of task.in; element i is of kind i % KINDS
 *   out:  task.out[i] = treat(i % KINDS, task.in[i])
 *   goal: no lanes without work (stage 11: 4650 per 8 elements; 900 are allowed); 1.8 times as fast as stage 11 */
__global__ void treat_by_warps(float *out, const float *in, int n)
{
}

void limits_static_order(struct task task)
{
}

/* ---- stage 13, given: the kind is data ----------------------------------------------------------------------- */

__global__ void treat_from_data(float *out, const float *in, const int *kinds, int n)
{
    int i = blockIdx.x * ORDER_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(kinds[i], in[i]);
}

void limits_mixed_data(struct task task)
{
    treat_from_data<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 14: dynamic_order --------------------------------------------------------------------------------- */

/* TODO 7 (handout section 7): each block sorts its elements by kind into a table in shared memory; thread t then takes the
 * element at place t. Count the kinds, add up the counts, place the elements.
 *   in:   task.n elements of task.in; task.table[i] is the kind of element i, 0 to KINDS - 1
 *   out:  task.out[i] = treat(task.table[i], task.in[i]), at the element's own index
 *   goal: at most 2000 lanes without work per 8 elements (stage 13: 4650); 1.3 times as fast as stage 13, sorting included */
__global__ void treat_by_table(float *out, const float *in, const int *kinds, int n)
{
}

void limits_dynamic_order(struct task task)
{
}

/* ---- stage 15, given: a lookup per thread ---------------------------------------------------------------------- */

enum { LOOKUP_BLOCK = 256 };

__global__ void look_up(float *out, const float *in, const int *tree, int n, int m)
{
    int i = blockIdx.x * LOOKUP_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    int node = 0, value = tree[0];
    float sum = part_of(value, x);
    while (!is_leaf(node, value, m)) {
        node = descend(node, &x);
        value = tree[node];
        sum += part_of(value, x);
    }
    out[i] = sum;
}

void limits_lookup(struct task task)
{
    look_up<<<blocks_for(task.n, LOOKUP_BLOCK), LOOKUP_BLOCK>>>(task.out, task.in, task.table, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 16: tree_lookup ------------------------------------------------------------------------------------- */

/* TODO 8 (handout section 8): a lane at a leaf starts its next lookup in the same loop, while other lanes still go down. Launch one
 * wave of blocks: with a thread for every lookup, no lane has a next one.
 *   in:   task.n numbers x in task.in, from 0 to 1; task.table holds the task.m nodes of the tree
 *   out:  task.out[i] = the sum of the parts of all nodes on the path from the root to the leaf of task.in[i]
 *   goal: at most 2700 lanes without work per 8 elements (stage 15: 4170) */
__global__ void look_up_on(float *out, const float *in, const int *tree, int n, int m)
{
}

void limits_tree_lookup(struct task task)
{
}

/* ---- stage 17, given: two barriers for each smoothing ------------------------------------------------------------ */

enum { LARGE = 1024 };

__global__ void smooth_in_shared(float *out, const float *in, int n)
{
    __shared__ float x[LARGE];
    int t = threadIdx.x, i = blockIdx.x * LARGE + t, ring = t / RING * RING;
    int left = ring + (t + RING - 1) % RING, right = ring + (t + 1) % RING;
    x[t] = i < n * RING ? in[i] : 0;
    for (int k = 0; k < SMOOTHINGS; k++) {
        __syncthreads();
        float next = smooth(x[left], x[t], x[right]);
        __syncthreads();
        x[t] = next;
    }
    if (i < n * RING)
        out[i] = x[t];
}

void limits_two_barriers(struct task task)
{
    smooth_in_shared<<<blocks_for((long)task.n * RING, LARGE), LARGE>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 18: barriers ------------------------------------------------------------------------------------------ */

/* TODO 9 (handout section 9): a warp holds one ring. Keep x in a register, and read the neighbours' x with shuffles.
 *   in:   task.n rings of RING floats in task.in
 *   out:  task.out = the same rings, smoothed SMOOTHINGS times
 *   goal: no barrier (stage 17: 128 per warp); 1.8 times as fast as stage 17 */
__global__ void smooth_by_shuffles(float *out, const float *in, int n)
{
}

void limits_barriers(struct task task)
{
}

/* ---- stage 19, given: a kernel that loads, computes and stores ------------------------------------------------------ */

enum { ROOF_BLOCK = 256, FULL = 8 };

/* How many blocks to launch for at most m blocks per SM: if m < 8, at most m for each SM; else one block per 256 elements. */
static int held_blocks(int n, int m)
{
    int sms, needed = blocks_for(n, ROOF_BLOCK);
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return m >= FULL || needed < sms * m ? needed : sms * m;
}

__global__ void evaluate(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * ROOF_BLOCK + threadIdx.x; i < n; i += gridDim.x * ROOF_BLOCK)
        out[i] = polynomial(in[i] * 0.5f);
}

void limits_both(struct task task)
{
    evaluate<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 20: memory_only -------------------------------------------------------------------------------------------- */

/* TODO 10 (handout section 10): write the kernel of stage 19 without its arithmetic, and launch it the same way.
 *   in:   task.n elements of task.in; at most task.m blocks per SM: held_blocks()
 *   out:  task.out[i] = task.in[i] * 0.5f
 *   goal: all loads, all stores, no polynomial */
__global__ void only_move(float *out, const float *in, int n)
{
}

void limits_memory_only(struct task task)
{
}

/* ---- stage 21: compute_only ------------------------------------------------------------------------------------------- */

/* TODO 11 (handout section 10): write the kernel of stage 19 without its memory accesses, and launch it the same way.
 *   in:   task.n; made_up(i) replaces in[i]; at most task.m blocks per SM: held_blocks()
 *   out:  task.out[i] = polynomial(made_up(i) * 0.5f) where i is a multiple of KEPT_EVERY; nothing else is stored
 *   goal: all values are computed, although few are stored; nvcc must not know which are stored */
__global__ void only_compute(float *out, int n)
{
}

void limits_compute_only(struct task task)
{
}

/* ---- stage 22: roofline ------------------------------------------------------------------------------------------------- */

/* TODO 12 (handout section 10): measure stages 19 to 21, first with all blocks (-m 8), then with one block per SM (-m 1), and
 * fill in four answers. The possible answers are in work.h: enum limit and enum total.
 *   with all blocks:        what limits stage 19; is the whole nearer to the longer half, or to the sum of both?
 *   with one block per SM:  the same two questions */
static const struct answers roofline_answers = {{NOT_ANSWERED, NOT_SAID, NOT_ANSWERED, NOT_SAID}};

void limits_roofline(struct task task)
{
    give_answers(task, roofline_answers, 4);
    CHECK_LAUNCH();
}

/* ---- stage 23, given: a record per thread --------------------------------------------------------------------------------- */

enum { RECORD_BLOCK = 256 };

__global__ void sum_records(float *out, const float *in, int n, int m)
{
    int record = blockIdx.x * RECORD_BLOCK + threadIdx.x;
    float sum = 0;
    if (record >= n)
        return;
#pragma unroll 4
    for (int k = 0; k < m; k++)
        sum += in[(size_t)record * m + k];
    out[record] = sum;
}

void limits_scattered(struct task task)
{
    sum_records<<<blocks_for(task.n, RECORD_BLOCK), RECORD_BLOCK>>>(task.out, task.in, task.n, task.m);
    CHECK_LAUNCH();
}

/* ---- stage 24: what_if ------------------------------------------------------------------------------------------------------ */

/* TODO 13 (handout section 11): predict first. How many times as fast would stage 23 be if the lanes of a warp loaded
 * neighbouring floats? Set gain to that. Then write a crippled kernel: as many loads and additions, but the k-th load of
 * thread i is in[k * n + i]. Only its time matters: its sums are useless. Correct gain by what you measured.
 *   in:   task.n records of task.m floats in task.in
 *   out:  task.out[i] = the sum of in[k * n + i] for k from 0 to m - 1; task.answers from give_answers()
 *   goal: 1 sector loaded per sector of input (stage 23: 8), and the right gain */
static const double gain = 0;

__global__ void sum_anything(float *out, const float *in, int n, int m)
{
}

void limits_what_if(struct task task)
{
    /* TODO 13: launch sum_anything() */
    give_answers(task, {{choice_of_gain(gain)}}, 1);
    CHECK_LAUNCH();
}

/* ---- stage 25: knees ---------------------------------------------------------------------------------------------------- */

/* TODO 14 (handout section 12): predict, then look. A multiply-add takes 4 cycles on an H200, an SM has four schedulers, and each of
 * them can issue one instruction per cycle. How many warps does an SM need at least, so that every scheduler can have an instruction
 * ready in each cycle?
 *   first answer: for one_chain, one chain in each thread; second: for ilp, eight chains. 1, 2, 4, 8, 16, 32 or 64; 0: not given
 * Then see how near the curves come: build/lab6 one_chain ilp --sweep n=4224..270336 (4224 elements: on average one warp per SM) */
static const struct answers knees_answers = {{choice_of_power(0), choice_of_power(0)}};

void limits_knees(struct task task)
{
    give_answers(task, knees_answers, KNEES);
    CHECK_LAUNCH();
}
