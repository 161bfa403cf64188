/* lab6.cu - what limits a kernel, solved. Stages come in pairs: a given kernel that one thing limits, and the step that
 * takes the limit away. What is computed for an element stands in work.h and stays as it is.
 *     ./grade lab6 --solution */
#include "lab6.h"

#include "lab/answers.h"
#include "lab/check.h"
#include "work.h"

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* Blocks of this kernel that all SMs together hold at once: one wave. */
template <typename kernel> static int blocks_of_a_wave(kernel function, int threads, size_t shared)
{
    int sms, per_sm;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, function, threads, shared));
    return sms * per_sm;
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

/* 64 places for warps, 32 for blocks: two warps in each are enough to fill them. But then half a million blocks still have to be
 * started, and that takes the same whether a block brings 2 warps or 8. */
static const struct answers block_answers = {{choice_of_power(64), BLOCK_STARTS}};

void limits_block_size(struct task task)
{
    enum { BLOCK = 256 };
    scale<<<blocks_for(task.n, BLOCK), BLOCK>>>(task.out, task.in, task.n);
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

/* The elements are dealt out one by one, so no thread has more than one element more than another. */
__global__ void save_strided(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = save(rate_of(in[i], ACCOUNTS - 1), LONG);
}

void limits_waves(struct task task)
{
    int wave = blocks_of_a_wave(save_strided, FEW, RESERVED), needed = blocks_for(task.n, FEW);
    save_strided<<<needed < wave ? needed : wave, FEW, RESERVED>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

/* Fewer blocks per SM leave more registers to each thread. The first variant that needs no local memory keeps all sums in
 * registers, and the most warps: with nvcc 13.0 five blocks, of 48 registers per thread. */
void limits_registers(struct task task)
{
    void (*const variants[])(float *, const float *, int) = {power_sums<8>, power_sums<7>, power_sums<6>, power_sums<5>,
                                                             power_sums<4>, power_sums<3>, power_sums<2>, power_sums<1>};
    int last = sizeof variants / sizeof variants[0] - 1, v = 0;
    cudaFuncAttributes attributes;
    for (; v < last; v++) {
        CHECK(cudaFuncGetAttributes(&attributes, variants[v]));
        if (!attributes.localSizeBytes)
            break;
    }
    variants[v]<<<blocks_for(task.n, ROUND_STEP), ROUND_STEP>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

/* All accounts go through a period before any goes through the next: eight instructions in a row that do not wait for each
 * other. Indexes are known to the compiler, so the arrays are registers. */
__global__ void save_together(float *out, const float *in, int n)
{
    int i = blockIdx.x * SAVINGS_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float rate[ACCOUNTS], balance[ACCOUNTS] = {}, sum = 0;
#pragma unroll
    for (int a = 0; a < ACCOUNTS; a++)
        rate[a] = rate_of(in[i], a);
#pragma unroll 4
    for (int k = 0; k < PERIODS; k++)
#pragma unroll
        for (int a = 0; a < ACCOUNTS; a++)
            balance[a] = balance[a] * rate[a] + 0.5f;
#pragma unroll
    for (int a = 0; a < ACCOUNTS; a++)
        sum += balance[a];
    out[i] = sum;
}

void limits_ilp(struct task task)
{
    save_together<<<blocks_for(task.n, SAVINGS_BLOCK), SAVINGS_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

/* Eight loads are asked for before the first is waited for. */
__global__ void sum_columns_ahead(float *out, const float *in, int n, int m)
{
    enum { AHEAD = 8 };
    int column = blockIdx.x * COLUMN_BLOCK + threadIdx.x, row = 0;
    if (column >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (; row + AHEAD <= m; row += AHEAD) {
        float x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            x[k] = in[(size_t)(row + k) * n + column];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            sum += x[k];
    }
    for (; row < m; row++)
        sum += in[(size_t)row * n + column];
    out[column] = sum;
}

void limits_mlp(struct task task)
{
    sum_columns_ahead<<<blocks_for(task.n, COLUMN_BLOCK), COLUMN_BLOCK>>>(task.out, task.in, task.n, task.m);
    CHECK_LAUNCH();
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

/* The block keeps its 256 elements, but its first two warps take those of kind 0, the next two those of kind 1, ... */
__global__ void treat_by_warps(float *out, const float *in, int n)
{
    enum { SHARE = ORDER_BLOCK / KINDS };
    int kind = threadIdx.x / SHARE;
    int i = blockIdx.x * ORDER_BLOCK + threadIdx.x % SHARE * KINDS + kind;
    if (i < n)
        out[i] = treat(kind, in[i]);
}

void limits_static_order(struct task task)
{
    treat_by_warps<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

/* The block sorts its elements by kind into a table in shared memory: count, add up, place. Then thread t takes what
 * place t of the table names, and only warps at a border between kinds go two ways. */
__global__ void treat_by_table(float *out, const float *in, const int *kinds, int n)
{
    __shared__ int count[KINDS], element[ORDER_BLOCK], kind_of[ORDER_BLOCK];
    int t = threadIdx.x, i = blockIdx.x * ORDER_BLOCK + t;
    int kind = i < n ? kinds[i] : 0, rank = 0, start = 0;
    if (t < KINDS)
        count[t] = 0;
    element[t] = n;
    __syncthreads();
    if (i < n)
        rank = atomicAdd(&count[kind], 1);
    __syncthreads();
    for (int k = 0; k < kind; k++)
        start += count[k];
    if (i < n) {
        element[start + rank] = i;
        kind_of[start + rank] = kind;
    }
    __syncthreads();
    if (element[t] < n)
        out[element[t]] = treat(kind_of[t], in[element[t]]);
}

void limits_dynamic_order(struct task task)
{
    treat_by_table<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.table, task.n);
    CHECK_LAUNCH();
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

/* One loop for all lookups of a thread: a lane that is at its leaf takes the next one and starts at the root, while the
 * others go on. No lane waits for the deepest leaf of its warp, but at the end. */
__global__ void look_up_on(float *out, const float *in, const int *tree, int n, int m)
{
    int threads = gridDim.x * LOOKUP_BLOCK, i = blockIdx.x * LOOKUP_BLOCK + threadIdx.x, node = 0;
    float x = i < n ? in[i] : 0, sum = 0;
    while (i < n) {
        int value = tree[node];
        sum += part_of(value, x);
        if (is_leaf(node, value, m)) {
            out[i] = sum;
            i += threads;
            x = i < n ? in[i] : 0;
            node = 0;
            sum = 0;
        } else {
            node = descend(node, &x);
        }
    }
}

void limits_tree_lookup(struct task task)
{
    int wave = blocks_of_a_wave(look_up_on, LOOKUP_BLOCK, 0), needed = blocks_for(task.n, LOOKUP_BLOCK);
    look_up_on<<<needed < wave ? needed : wave, LOOKUP_BLOCK>>>(task.out, task.in, task.table, task.n, task.m);
    CHECK_LAUNCH();
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

/* A ring is a warp: its lanes pass registers to each other, and nobody waits for other warps. Lanes beyond the end stay,
 * because all 32 must come to the shuffles. */
__global__ void smooth_by_shuffles(float *out, const float *in, int n)
{
    enum { SMALL = 128 };
    int t = threadIdx.x, i = blockIdx.x * SMALL + t;
    float x = i < n * RING ? in[i] : 0;
    for (int k = 0; k < SMOOTHINGS; k++)
        x = smooth(__shfl_sync(0xffffffff, x, t + RING - 1), x, __shfl_sync(0xffffffff, x, t + 1));
    if (i < n * RING)
        out[i] = x;
}

void limits_barriers(struct task task)
{
    smooth_by_shuffles<<<blocks_for((long)task.n * RING, 128), 128>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
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

__global__ void only_move(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * ROOF_BLOCK + threadIdx.x; i < n; i += gridDim.x * ROOF_BLOCK)
        out[i] = in[i] * 0.5f;
}

void limits_memory_only(struct task task)
{
    only_move<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.in, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 21: compute_only ------------------------------------------------------------------------------------------- */

/* No value is negative, but nvcc cannot know it: so it has to compute all of them. With the first condition alone it moves
 * the polynomial behind the test, and 1023 of 1024 are never computed. */
__global__ void only_compute(float *out, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * ROOF_BLOCK + threadIdx.x; i < n; i += gridDim.x * ROOF_BLOCK) {
        float value = polynomial(made_up(i) * 0.5f);
        if (i % KEPT_EVERY == 0 || value < 0)
            out[i] = value;
    }
}

void limits_compute_only(struct task task)
{
    only_compute<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.n);
    CHECK_LAUNCH();
}

/* ---- stage 22: roofline ------------------------------------------------------------------------------------------------- */

/* With all warps, memory alone and arithmetic alone take about the same, and the whole is nearer to the longer of the two
 * than to their sum. With one block per SM each waits for the other, and the whole is their sum. */
static const struct answers roofline_answers = {{BOTH_ALIKE, NEAR_MAXIMUM, LATENCY, NEAR_SUM}};

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

/* 8 times as many sectors are asked for, but L1 has most of them: the gain is less than half of that. */
static const double gain = 3.5;

/* The crippled kernel: as many loads and additions, but the ideal pattern. Its sums are of no use. */
__global__ void sum_anything(float *out, const float *in, int n, int m)
{
    int record = blockIdx.x * RECORD_BLOCK + threadIdx.x;
    float sum = 0;
    if (record >= n)
        return;
#pragma unroll 4
    for (int k = 0; k < m; k++)
        sum += in[(size_t)k * n + record];
    out[record] = sum;
}

void limits_what_if(struct task task)
{
    sum_anything<<<blocks_for(task.n, RECORD_BLOCK), RECORD_BLOCK>>>(task.out, task.in, task.n, task.m);
    CHECK_LAUNCH();
    give_answers(task, {{choice_of_gain(gain)}}, 1);
    CHECK_LAUNCH();
}

/* ---- stage 25: knees ---------------------------------------------------------------------------------------------------- */

/* A multiply-add takes 4 cycles, and an SM has 4 schedulers: with one chain each needs 4 warps; with eight, one warp is enough. */
static const struct answers knees_answers = {{choice_of_power(16), choice_of_power(4)}};

void limits_knees(struct task task)
{
    give_answers(task, knees_answers, KNEES);
    CHECK_LAUNCH();
}
