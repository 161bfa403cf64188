/* baseline.cu - the kit's own kernels of lab 6: the given ones, which speedups are measured against, and those whose results are
 * right where a stage computes something else. None of it is the student's. */
#include "lab6.h"

#include "work.h"

LAB_ENTRIES(limits_fn, baseline_tiny_blocks, baseline_two_waves, baseline_all_warps, baseline_one_chain,
            baseline_one_load, baseline_mixed, baseline_mixed_data, baseline_lookup, baseline_two_barriers, baseline_both,
            baseline_memory_only, baseline_compute_only, baseline_scattered, baseline_what_if, baseline_block_size);

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* ---- blocks of one warp ---- */

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scaled(in[i]);
}

void baseline_tiny_blocks(struct task task)
{
    scale<<<blocks_for(task.n, 32), 32>>>(task.out, task.in, task.n);
}

/* In device code: students get that compiled. */
__global__ void give_block_answers(float *answers, const float *sheet)
{
    enum { CHOICE_OF_64 = 7 };
    answers[0] = sheet[CHOICE_OF_64];
    answers[1] = sheet[LAB_CHOICES + BLOCK_STARTS];
}

/* Whatever size its blocks have, and the right answers. */
void baseline_block_size(struct task task)
{
    baseline_tiny_blocks(task);
    give_block_answers<<<1, 1>>>(task.answers, task.sheet);
}

/* ---- a block per tile, however many there are ---- */

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

void baseline_two_waves(struct task task)
{
    save_tiles<<<blocks_for(task.n, TILE), FEW, RESERVED>>>(task.out, task.in, task.n);
}

/* ---- all the warps that an SM holds ---- */

/* TERMS sums, all alive: as many registers as nvcc may take, and local memory for the rest. */
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

void baseline_all_warps(struct task task)
{
    power_sums<8><<<blocks_for(task.n, ROUND_STEP), ROUND_STEP>>>(task.out, task.in, task.n);
}

/* ---- one account after the other ---- */

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

void baseline_one_chain(struct task task)
{
    save_in_turn<<<blocks_for(task.n, SAVINGS_BLOCK), SAVINGS_BLOCK>>>(task.out, task.in, task.n);
}

/* ---- one load in flight ---- */

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

void baseline_one_load(struct task task)
{
    sum_columns<<<blocks_for(task.n, COLUMN_BLOCK), COLUMN_BLOCK>>>(task.out, task.in, task.n, task.m);
}

/* ---- neighbours are of different kinds ---- */

enum { ORDER_BLOCK = 256 };

__global__ void treat_as_they_come(float *out, const float *in, int n)
{
    int i = blockIdx.x * ORDER_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(i % KINDS, in[i]);
}

void baseline_mixed(struct task task)
{
    treat_as_they_come<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.n);
}

/* ---- the kind is data ---- */

__global__ void treat_from_data(float *out, const float *in, const int *kinds, int n)
{
    int i = blockIdx.x * ORDER_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = treat(kinds[i], in[i]);
}

void baseline_mixed_data(struct task task)
{
    treat_from_data<<<blocks_for(task.n, ORDER_BLOCK), ORDER_BLOCK>>>(task.out, task.in, task.table, task.n);
}

/* ---- a lookup per thread ---- */

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

void baseline_lookup(struct task task)
{
    look_up<<<blocks_for(task.n, LOOKUP_BLOCK), LOOKUP_BLOCK>>>(task.out, task.in, task.table, task.n, task.m);
}

/* ---- two barriers for each smoothing ---- */

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

void baseline_two_barriers(struct task task)
{
    smooth_in_shared<<<blocks_for((long)task.n * RING, LARGE), LARGE>>>(task.out, task.in, task.n);
}

/* ---- load, compute, store ---- */

enum { ROOF_BLOCK = 256, FULL = 8 };

/* Blocks to launch so that an SM holds at most m of them: from 8 on all that are needed, else m for each SM. */
static int held_blocks(int n, int m)
{
    int sms, needed = blocks_for(n, ROOF_BLOCK);
    if (cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess)
        return needed;
    return m >= FULL || needed < sms * m ? needed : sms * m;
}

__global__ void evaluate(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * ROOF_BLOCK + threadIdx.x; i < n; i += gridDim.x * ROOF_BLOCK)
        out[i] = polynomial(in[i] * 0.5f);
}

void baseline_both(struct task task)
{
    evaluate<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.in, task.n);
}

/* ---- only load and store ---- */

__global__ void only_move(float *out, const float *in, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * ROOF_BLOCK + threadIdx.x; i < n; i += gridDim.x * ROOF_BLOCK)
        out[i] = in[i] * 0.5f;
}

void baseline_memory_only(struct task task)
{
    only_move<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.in, task.n);
}

/* ---- only compute ---- */

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

void baseline_compute_only(struct task task)
{
    only_compute<<<held_blocks(task.n, task.m), ROOF_BLOCK>>>(task.out, task.n);
}

/* ---- a record per thread ---- */

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

void baseline_scattered(struct task task)
{
    sum_records<<<blocks_for(task.n, RECORD_BLOCK), RECORD_BLOCK>>>(task.out, task.in, task.n, task.m);
}

/* ---- the pattern that is ideal, and the right answer: what it gains on an H200 ---- */

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

/* In device code: students get that compiled. */
__global__ void give_gain(float *answers, const float *sheet)
{
    const double gain = 3.5;
    answers[0] = sheet[choice_of_gain(gain)];
}

void baseline_what_if(struct task task)
{
    sum_anything<<<blocks_for(task.n, RECORD_BLOCK), RECORD_BLOCK>>>(task.out, task.in, task.n, task.m);
    give_gain<<<1, 1>>>(task.answers, task.sheet);
}
