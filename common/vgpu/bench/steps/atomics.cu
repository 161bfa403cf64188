/* atomics.cu - atomic additions: who adds to which word. In shared memory from one word for all to a word per
 * thread, and histograms of a block; in global memory at random places of small and large arrays.
 * All values are whole numbers that a float holds exactly, so the order of additions does not matter. */
#include "steps.h"

enum { BLOCK = 256, LANES = 32, EACH = 32, SHARE = BLOCK * EACH }; /* a block adds up SHARE values */

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* ---------------------------------------------------------------------------------------- sums of a block */

enum { VALUES = 256, VALUE_BITS = 8 };

__host__ __device__ static int whole(float value)
{
    return (int)(value * VALUES);
}

template <class T> __device__ static T sum_of_warp(T value)
{
    for (int apart = LANES / 2; apart > 0; apart /= 2)
        value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

/* All threads on WORDS words. */
template <int WORDS> struct add_to_words {
    template <class T> static __device__ void add(T *part, T value)
    {
        atomicAdd(&part[threadIdx.x % WORDS], value);
    }
};

/* One lane adds for its warp. */
struct add_by_warp {
    template <class T> static __device__ void add(T *part, T value)
    {
        value = sum_of_warp(value);
        if (threadIdx.x % LANES == 0)
            atomicAdd(part, value);
    }
};

/* The warp's sum, bit by bit. */
struct add_by_ballots {
    static __device__ void add(unsigned *part, unsigned value)
    {
        unsigned sum = 0;
        for (int bit = 0; bit < VALUE_BITS; bit++)
            sum += __popc(__ballot_sync(~0u, value >> bit & 1)) << bit;
        if (threadIdx.x % LANES == 0)
            atomicAdd(part, sum);
    }
};

template <class T, class HOW> __global__ void add_block(float *out, const float *in, int n)
{
    __shared__ T part[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * SHARE + t;
    part[t] = 0;
    __syncthreads();
    for (int i = first; i < first + SHARE; i += BLOCK)
        HOW::add(part, (T)(i < n ? whole(in[i]) : 0));
    __syncthreads();
    if (t >= LANES)
        return;
    T sum = 0;
    for (int k = t; k < BLOCK; k += LANES)
        sum += part[k];
    sum = sum_of_warp(sum);
    if (t == 0)
        out[blockIdx.x] = (float)sum;
}

/* A thread adds up its own values first. */
template <class T> __global__ void add_own_first(float *out, const float *in, int n)
{
    __shared__ T part;
    int t = threadIdx.x, first = blockIdx.x * SHARE + t;
    T sum = 0;
    if (t == 0)
        part = 0;
    __syncthreads();
    for (int i = first; i < first + SHARE; i += BLOCK)
        sum += (T)(i < n ? whole(in[i]) : 0);
    atomicAdd(&part, sum);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = (float)part;
}

typedef void block_kernel(float *out, const float *in, int n);

template <block_kernel *KERNEL> static void launch_blocks(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, in.device, n);
}

static void prepare_sums(int size)
{
    n = size;
    in = steps_input(n, 31);
    out = steps_output(steps_blocks(n, SHARE));
}

static void sums_reference(float *expected)
{
    for (size_t block = 0; block < out.count; block++)
        expected[block] = 0;
    for (int i = 0; i < n; i++)
        expected[i / SHARE] += (float)whole(in.host[i]);
}

static const struct step shared_sum_steps[] = {
    {"one_word", launch_blocks<add_block<unsigned, add_to_words<1>>>},
    {"words32", launch_blocks<add_block<unsigned, add_to_words<LANES>>>},
    {"word_per_thread", launch_blocks<add_block<unsigned, add_to_words<BLOCK>>>},
    {"by_warp", launch_blocks<add_block<unsigned, add_by_warp>>},
    {"by_ballots", launch_blocks<add_block<unsigned, add_by_ballots>>},
    {"own_first", launch_blocks<add_own_first<unsigned>>},
};
static const struct step shared_sum_float_steps[] = {
    {"one_word", launch_blocks<add_block<float, add_to_words<1>>>},
    {"words32", launch_blocks<add_block<float, add_to_words<LANES>>>},
    {"word_per_thread", launch_blocks<add_block<float, add_to_words<BLOCK>>>},
    {"by_warp", launch_blocks<add_block<float, add_by_warp>>},
    {"own_first", launch_blocks<add_own_first<float>>},
};
const struct step_family shared_sum_family = {
    "shared_sum", shared_sum_steps, STEPS_COUNT(shared_sum_steps), 1 << 24, 20011, 0, prepare_sums, finish,
    &out, sums_reference};
const struct step_family shared_sum_float_family = {
    "shared_sum_float", shared_sum_float_steps, STEPS_COUNT(shared_sum_float_steps), 1 << 24, 20011, 0,
    prepare_sums, finish, &out, sums_reference};

/* ---------------------------------------------------------------------------------- histograms of a block */

/* The warps share COPIES histograms. */
template <int COPIES> __global__ void count_in_copies(float *out, const float *in, int n)
{
    __shared__ unsigned bins[COPIES][VALUES];
    int t = threadIdx.x, first = blockIdx.x * SHARE + t;
    for (int copy = 0; copy < COPIES; copy++)
        bins[copy][t] = 0;
    __syncthreads();
    for (int i = first; i < first + SHARE && i < n; i += BLOCK)
        atomicAdd(&bins[t / LANES % COPIES][whole(in[i])], 1);
    __syncthreads();
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; copy++)
        sum += bins[copy][t];
    out[blockIdx.x * VALUES + t] = (float)sum;
}

/* Four values per load. */
__global__ void count_quads(float *out, const float *in, int n)
{
    __shared__ unsigned bins[VALUES];
    int t = threadIdx.x, first = blockIdx.x * SHARE + t * 4;
    bins[t] = 0;
    __syncthreads();
    for (int i = first; i < (blockIdx.x + 1) * SHARE && i < n; i += BLOCK * 4) {
        float4 quad = *(const float4 *)&in[i];
        atomicAdd(&bins[whole(quad.x)], 1);
        atomicAdd(&bins[whole(quad.y)], 1);
        atomicAdd(&bins[whole(quad.z)], 1);
        atomicAdd(&bins[whole(quad.w)], 1);
    }
    __syncthreads();
    out[blockIdx.x * VALUES + t] = (float)bins[t];
}

/* The lanes whose value is this lane's. */
__device__ static unsigned lanes_alike(int value, unsigned active)
{
    unsigned alike = active;
    for (int bit = 0; bit < VALUE_BITS; bit++) {
        unsigned with_bit = __ballot_sync(~0u, value >> bit & 1);
        alike &= value >> bit & 1 ? with_bit : ~with_bit;
    }
    return alike;
}

/* One lane adds for all lanes of its warp that have the same value. */
__global__ void count_alike(float *out, const float *in, int n)
{
    __shared__ unsigned bins[VALUES];
    int t = threadIdx.x, first = blockIdx.x * SHARE + t;
    bins[t] = 0;
    __syncthreads();
    for (int i = first; i < first + SHARE; i += BLOCK) {
        int value = i < n ? whole(in[i]) : 0;
        unsigned alike = lanes_alike(value, __ballot_sync(~0u, i < n));
        if (i < n && __ffs(alike) - 1 == t % LANES)
            atomicAdd(&bins[value], __popc(alike));
    }
    __syncthreads();
    out[blockIdx.x * VALUES + t] = (float)bins[t];
}

static void prepare_histogram(int size)
{
    n = size;
    in = steps_input(n, 32);
    out = steps_output(steps_blocks(n, SHARE) * VALUES);
}

/* A quarter of all values fall into the first bin. */
static void prepare_skewed(int size)
{
    prepare_histogram(size);
    for (int i = 0; i < n; i++)
        in.host[i] *= in.host[i] * in.host[i] * in.host[i];
    steps_upload(&in);
}

static void histogram_reference(float *expected)
{
    for (size_t bin = 0; bin < out.count; bin++)
        expected[bin] = 0;
    for (int i = 0; i < n; i++)
        expected[i / SHARE * VALUES + whole(in.host[i])]++;
}

static const struct step block_histogram_steps[] = {
    {"shared", launch_blocks<count_in_copies<1>>},
    {"quads", launch_blocks<count_quads>, 4},
    {"per_warp", launch_blocks<count_in_copies<BLOCK / LANES>>},
    {"alike", launch_blocks<count_alike>},
};
const struct step_family block_histogram_family = {
    "block_histogram", block_histogram_steps, STEPS_COUNT(block_histogram_steps), 1 << 24, 20011, 0,
    prepare_histogram, finish, &out, histogram_reference};
const struct step_family block_histogram_skewed_family = {
    "block_histogram_skewed", block_histogram_steps, STEPS_COUNT(block_histogram_steps), 1 << 24, 20011, 0,
    prepare_skewed, finish, &out, histogram_reference};

/* ------------------------------------------------------------------------------------------ random places */

/* From here on the bits of a float count as an unsigned number does: adding 1 to either is the same. */
#define COUNT_FROM 8388608.0f

enum { AT_ONCE = 4, PRIVATE_WORDS = 1024, PRIVATE_SHARE = 16384 };

static struct steps_array olds;

__host__ __device__ static unsigned scatter_hash(unsigned i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

__host__ __device__ static unsigned scatter_amount(unsigned hash)
{
    return 1 + (hash >> 30);
}

/* `words` is a power of two. The old values are kept, or nobody asks for them. */
template <class T, bool IS_KEPT> __global__ void scatter(T *counts, T *olds, int n, unsigned words)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
    T sum = 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        if (t + k * threads < n) {
            unsigned hash = scatter_hash(t + k * threads);
            T old = atomicAdd(&counts[hash & (words - 1)], (T)scatter_amount(hash));
            sum += IS_KEPT ? old : 0;
        }
    if (IS_KEPT)
        olds[t] = sum;
}

/* So few words that every block can count for itself first. */
__global__ void scatter_in_shared(unsigned *counts, int n)
{
    __shared__ unsigned own[PRIVATE_WORDS];
    int first = blockIdx.x * PRIVATE_SHARE + threadIdx.x;
    for (int k = threadIdx.x; k < PRIVATE_WORDS; k += BLOCK)
        own[k] = 0;
    __syncthreads();
    for (int i = first; i < first + PRIVATE_SHARE && i < n; i += BLOCK) {
        unsigned hash = scatter_hash(i);
        atomicAdd(&own[hash & (PRIVATE_WORDS - 1)], scatter_amount(hash));
    }
    __syncthreads();
    for (int k = threadIdx.x; k < PRIVATE_WORDS; k += BLOCK)
        atomicAdd(&counts[k], own[k]);
}

template <class T, bool IS_KEPT> static void launch_scatter(void)
{
    scatter<T, IS_KEPT><<<steps_blocks(n, BLOCK * AT_ONCE), BLOCK>>>((T *)out.device, (T *)olds.device, n,
                                                                     (unsigned)out.count);
}

static void launch_scatter_in_shared(void)
{
    scatter_in_shared<<<steps_blocks(n, PRIVATE_SHARE), BLOCK>>>((unsigned *)out.device, n);
}

template <int WORDS> static void prepare_scatter(int size)
{
    n = size;
    out = steps_input(WORDS, 33);
    for (int i = 0; i < WORDS; i++)
        out.host[i] = COUNT_FROM;
    steps_upload(&out);
    olds = steps_output((size_t)steps_blocks(n, BLOCK * AT_ONCE) * BLOCK);
}

static void finish_scatter(void)
{
    steps_free(&out);
    steps_free(&olds);
}

static void scatter_reference(float *expected)
{
    for (size_t i = 0; i < out.count; i++)
        expected[i] = COUNT_FROM;
    for (int i = 0; i < n; i++)
        expected[scatter_hash(i) & (out.count - 1)] += (float)scatter_amount(scatter_hash(i));
}

static const struct step scatter_steps[] = {
    {"unsigned", launch_scatter<unsigned, false>}, {"unsigned_old", launch_scatter<unsigned, true>},
    {"float", launch_scatter<float, false>},       {"float_old", launch_scatter<float, true>},
    {"shared", launch_scatter_in_shared},
};
enum { FOR_ANY_SIZE = STEPS_COUNT(scatter_steps) - 1 }; /* what is shared must be small */
const struct step_family scatter_4k_family = {
    "scatter_4k", scatter_steps, STEPS_COUNT(scatter_steps), 1 << 24, 40009, 0,
    prepare_scatter<PRIVATE_WORDS>, finish_scatter, &out, scatter_reference};
const struct step_family scatter_1m_family = {
    "scatter_1m", scatter_steps, FOR_ANY_SIZE, 1 << 24, 40009, 0, prepare_scatter<1 << 18>, finish_scatter,
    &out, scatter_reference};
const struct step_family scatter_64m_family = {
    "scatter_64m", scatter_steps, FOR_ANY_SIZE, 1 << 24, 40009, 0, prepare_scatter<1 << 24>, finish_scatter,
    &out, scatter_reference};
