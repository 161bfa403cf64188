/* sorts.cu - pieces of sorting: networks that compare and exchange, ranks, merging of two runs, and
 * counting of digits.
 * The pieces are independent of each other: a run of some hundred or thousand keys in an array of many. */
#include "steps.h"

#include <algorithm>
#include <cstring>

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, out;

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 171);
    out = steps_output(n);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* n is a multiple of SHARE, which is what a block has. */
template <void (*KERNEL)(float *, const float *), int SHARE, int THREADS> static void launch_runs(void)
{
    KERNEL<<<n / SHARE, THREADS>>>(out.device, in.device);
}

template <int RUN> static void sorted_reference(float *expected)
{
    memcpy(expected, in.host, n * sizeof(float));
    for (int i = 0; i < n; i += RUN)
        std::sort(expected + i, expected + i + RUN);
}

/* ----------------------------------------------------------------------------------------------- networks */

enum { RUN = 256 };

__device__ static void exchange(float *a, float *b, bool is_rising)
{
    float least = fminf(*a, *b), most = fmaxf(*a, *b);
    *a = is_rising ? least : most;
    *b = is_rising ? most : least;
}

/* One round in global memory: pairs `apart` from each other within pieces of `size`. */
__global__ void exchange_all(float *out, const float *in, int size, int apart)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, i = t / apart * 2 * apart + t % apart;
    float a = in[i], b = in[i + apart];
    exchange(&a, &b, (i & size & (RUN - 1)) == 0);
    out[i] = a;
    out[i + apart] = b;
}

static void launch_rounds(void)
{
    const float *from = in.device;
    for (int size = 2; size <= RUN; size *= 2)
        for (int apart = size / 2; apart > 0; apart /= 2, from = out.device)
            exchange_all<<<n / 2 / BLOCK, BLOCK>>>(out.device, from, size, apart);
}

/* All rounds in shared memory; half as many threads as keys. */
__global__ void sort_shared(float *out, const float *in)
{
    __shared__ float x[RUN];
    int t = threadIdx.x, first = blockIdx.x * RUN;
    x[t] = in[first + t];
    x[t + RUN / 2] = in[first + t + RUN / 2];
    for (int size = 2; size <= RUN; size *= 2)
        for (int apart = size / 2; apart > 0; apart /= 2) {
            __syncthreads();
            int i = t / apart * 2 * apart + t % apart;
            exchange(&x[i], &x[i + apart], (i & size & (RUN - 1)) == 0);
        }
    __syncthreads();
    out[first + t] = x[t];
    out[first + t + RUN / 2] = x[t + RUN / 2];
}

/* Batcher's network of odd and even: all pairs rise, and some threads have none. */
__global__ void sort_batcher(float *out, const float *in)
{
    __shared__ float x[RUN];
    int t = threadIdx.x, first = blockIdx.x * RUN;
    x[t] = in[first + t];
    x[t + RUN / 2] = in[first + t + RUN / 2];
    for (int size = 1; size < RUN; size *= 2)
        for (int apart = size; apart > 0; apart /= 2) {
            __syncthreads();
            int i =
                apart == size ? t / apart * 2 * apart + t % apart : t / apart * 2 * apart + t % apart + apart;
            if (i + apart < RUN && i / (2 * size) == (i + apart) / (2 * size))
                exchange(&x[i], &x[i + apart], true);
        }
    __syncthreads();
    out[first + t] = x[t];
    out[first + t + RUN / 2] = x[t + RUN / 2];
}

/* A key per thread. Partners in the same warp exchange by shuffles, without a barrier. */
__global__ void __launch_bounds__(RUN) sort_shuffles(float *out, const float *in)
{
    __shared__ float x[RUN];
    int t = threadIdx.x;
    float own = in[blockIdx.x * RUN + t];
    for (int size = 2; size <= RUN; size *= 2)
        for (int apart = size / 2; apart > 0; apart /= 2) {
            float there;
            if (apart >= LANES) {
                __syncthreads();
                x[t] = own;
                __syncthreads();
                there = x[t ^ apart];
            } else {
                there = __shfl_xor_sync(~0u, own, apart);
            }
            bool wants_least = ((t & size & (RUN - 1)) == 0) == ((t & apart) == 0);
            own = wants_least ? fminf(own, there) : fmaxf(own, there);
        }
    out[blockIdx.x * RUN + t] = own;
}

static const struct step bitonic_steps[] = {
    {"rounds", launch_rounds, RUN},
    {"shared", launch_runs<sort_shared, RUN, RUN / 2>, RUN},
    {"odd_even", launch_runs<sort_batcher, RUN, RUN / 2>, RUN},
    {"shuffles", launch_runs<sort_shuffles, RUN, RUN>, RUN},
};
const struct step_family bitonic_family = {
    "bitonic", bitonic_steps, STEPS_COUNT(bitonic_steps), 1 << 21, 5003, 0, prepare, finish, &out,
    sorted_reference<RUN>};

/* -------------------------------------------------------------------------------------------------- ranks */

enum { CROWD = 512 };

/* A key's place is the number of those before it. */
__global__ void rank_global(float *out, const float *in)
{
    const float *all = in + blockIdx.x * CROWD;
    int t = threadIdx.x, rank = 0;
    float own = all[t];
    for (int k = 0; k < CROWD; k++)
        rank += all[k] < own || (all[k] == own && k < t);
    out[blockIdx.x * CROWD + rank] = own;
}

__global__ void rank_shared(float *out, const float *in)
{
    __shared__ float all[CROWD];
    int t = threadIdx.x, rank = 0;
    float own = all[t] = in[blockIdx.x * CROWD + t];
    __syncthreads();
    for (int k = 0; k < CROWD; k++)
        rank += all[k] < own || (all[k] == own && k < t);
    out[blockIdx.x * CROWD + rank] = own;
}

/* Four keys in one load. Those before t count also when they are alike: two loops, one comparison. */
__global__ void rank_vectors(float *out, const float *in)
{
    __shared__ float4 all[CROWD / 4];
    float *words = (float *)all;
    int t = threadIdx.x, rank = 0, k = 0;
    float own = words[t] = in[blockIdx.x * CROWD + t];
    __syncthreads();
    for (; k < t / 4; k++)
        rank += (all[k].x <= own) + (all[k].y <= own) + (all[k].z <= own) + (all[k].w <= own);
    for (int i = 4 * k; i < 4 * k + 4; i++)
        rank += i < t ? words[i] <= own : words[i] < own;
    for (k++; k < CROWD / 4; k++)
        rank += (all[k].x < own) + (all[k].y < own) + (all[k].z < own) + (all[k].w < own);
    out[blockIdx.x * CROWD + rank] = own;
}

/* Four keys of a thread's own for every load, and the result through shared memory. */
__global__ void rank_four_own(float *out, const float *in)
{
    enum { EACH = 4, THREADS = CROWD / EACH };
    __shared__ float all[CROWD], sorted[CROWD];
    int t = threadIdx.x, rank[EACH] = {};
    float own[EACH];
    for (int j = 0; j < EACH; j++)
        own[j] = all[t + j * THREADS] = in[blockIdx.x * CROWD + t + j * THREADS];
    __syncthreads();
    for (int k = 0; k < CROWD; k++) {
        float there = all[k];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            rank[j] += there < own[j] || (there == own[j] && k < t + j * THREADS);
    }
    for (int j = 0; j < EACH; j++)
        sorted[rank[j]] = own[j];
    __syncthreads();
    for (int j = 0; j < EACH; j++)
        out[blockIdx.x * CROWD + t + j * THREADS] = sorted[t + j * THREADS];
}

static const struct step ranks_steps[] = {
    {"global", launch_runs<rank_global, CROWD, CROWD>, CROWD},
    {"shared", launch_runs<rank_shared, CROWD, CROWD>, CROWD},
    {"vectors", launch_runs<rank_vectors, CROWD, CROWD>, CROWD},
    {"four_own", launch_runs<rank_four_own, CROWD, CROWD / 4>, CROWD},
};
const struct step_family ranks_family = {
    "ranks", ranks_steps, STEPS_COUNT(ranks_steps), 1 << 21, 5003, 0, prepare, finish, &out,
    sorted_reference<CROWD>};

/* ----------------------------------------------------------------------------------------------- merging */

enum { PART = 1024, PAIR = 2 * PART, MERGED = 8 }; /* keys that a thread merges */

/* How many of a sorted run are below x, or with OR_EQUAL not above it. */
template <bool OR_EQUAL> __device__ static int count_below(const float *run, float x)
{
    int first = 0;
    for (int half = PART / 2; half > 0; half /= 2)
        if (OR_EQUAL ? run[first + half - 1] <= x : run[first + half - 1] < x)
            first += half;
    return first + (OR_EQUAL ? run[first] <= x : run[first] < x);
}

/* Every key looks for its place in the other run. */
__device__ static int merged_place(const float *runs, int i)
{
    return i < PART ? i + count_below<false>(runs + PART, runs[i])
                    : i - PART + count_below<true>(runs, runs[i]);
}

__global__ void merge_by_search(float *out, const float *in)
{
    const float *runs = in + (size_t)blockIdx.x * PAIR;
    for (int i = threadIdx.x; i < PAIR; i += BLOCK)
        out[blockIdx.x * PAIR + merged_place(runs, i)] = runs[i];
}

__global__ void merge_by_search_shared(float *out, const float *in)
{
    __shared__ float runs[PAIR];
    for (int i = threadIdx.x; i < PAIR; i += BLOCK)
        runs[i] = in[blockIdx.x * PAIR + i];
    __syncthreads();
    for (int i = threadIdx.x; i < PAIR; i += BLOCK)
        out[blockIdx.x * PAIR + merged_place(runs, i)] = runs[i];
}

/* How many of the first `count` merged keys come from the first run. */
__device__ static int first_runs_share(const float *a, const float *b, int count)
{
    int least = max(0, count - PART), most = min(count, PART);
    while (least < most) {
        int middle = (least + most) / 2;
        if (a[middle] <= b[count - 1 - middle])
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

/* A thread finds where its keys begin in both runs, and merges them one by one. */
__device__ static void merge_own(float *own, const float *runs, int first)
{
    int i = first_runs_share(runs, runs + PART, first), j = first - i;
#pragma unroll
    for (int k = 0; k < MERGED; k++) {
        bool is_left = j >= PART || (i < PART && runs[i] <= runs[PART + j]);
        own[k] = is_left ? runs[i++] : runs[PART + j++];
    }
}

__global__ void merge_by_paths(float *out, const float *in)
{
    float own[MERGED];
    int first = threadIdx.x * MERGED;
    merge_own(own, in + (size_t)blockIdx.x * PAIR, first);
#pragma unroll
    for (int k = 0; k < MERGED; k++)
        out[blockIdx.x * PAIR + first + k] = own[k];
}

__global__ void merge_by_paths_shared(float *out, const float *in)
{
    __shared__ float runs[PAIR];
    float own[MERGED];
    int first = threadIdx.x * MERGED;
    for (int i = threadIdx.x; i < PAIR; i += BLOCK)
        runs[i] = in[blockIdx.x * PAIR + i];
    __syncthreads();
    merge_own(own, runs, first);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MERGED; k++)
        runs[first + k] = own[k];
    __syncthreads();
    for (int i = threadIdx.x; i < PAIR; i += BLOCK)
        out[blockIdx.x * PAIR + i] = runs[i];
}

static void prepare_merge(int size)
{
    prepare(size);
    for (int i = 0; i < n; i += PART)
        std::sort(in.host + i, in.host + i + PART);
    steps_upload(&in);
}

static const struct step merge_steps[] = {
    {"search", launch_runs<merge_by_search, PAIR, BLOCK>, PAIR},
    {"search_shared", launch_runs<merge_by_search_shared, PAIR, BLOCK>, PAIR},
    {"paths", launch_runs<merge_by_paths, PAIR, BLOCK>, PAIR},
    {"paths_shared", launch_runs<merge_by_paths_shared, PAIR, BLOCK>, PAIR},
};
const struct step_family merge_family = {
    "merge", merge_steps, STEPS_COUNT(merge_steps), 1 << 22, 5003, 0, prepare_merge, finish, &out,
    sorted_reference<PAIR>};

/* ------------------------------------------------------------------------------------------------ digits */

enum { DIGITS = 16, SHARE = 4096 };

__host__ __device__ static int digit_of(float key)
{
    return (int)(key * (1 << 16)) >> 4 & (DIGITS - 1);
}

__global__ void digits_by_atomics(float *out, const float *in)
{
    __shared__ int counts[DIGITS];
    int t = threadIdx.x;
    if (t < DIGITS)
        counts[t] = 0;
    __syncthreads();
    for (int i = t; i < SHARE; i += BLOCK)
        atomicAdd(&counts[digit_of(in[blockIdx.x * SHARE + i])], 1);
    __syncthreads();
    if (t < DIGITS)
        out[blockIdx.x * DIGITS + t] = (float)counts[t];
}

/* A column of counters for every thread; at the end, sixteen threads for a row. */
__global__ void digits_by_columns(float *out, const float *in)
{
    __shared__ int counts[DIGITS][BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int d = 0; d < DIGITS; d++)
        counts[d][t] = 0;
    for (int i = t; i < SHARE; i += BLOCK)
        counts[digit_of(in[blockIdx.x * SHARE + i])][t]++;
    __syncthreads();
    for (int k = t % DIGITS; k < BLOCK; k += DIGITS)
        sum += counts[t / DIGITS][k];
    for (int half = DIGITS / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half, DIGITS);
    if (t % DIGITS == 0)
        out[blockIdx.x * DIGITS + t / DIGITS] = (float)sum;
}

/* Four ballots say who has which digit; lane d counts digit d of its warp. */
__global__ void digits_by_ballots(float *out, const float *in)
{
    __shared__ int counts[DIGITS];
    int t = threadIdx.x, lane = t % LANES, own = 0;
    if (t < DIGITS)
        counts[t] = 0;
    __syncthreads();
    for (int i = t; i < SHARE; i += BLOCK) {
        int digit = digit_of(in[blockIdx.x * SHARE + i]);
        unsigned alike = ~0u;
        for (int bit = 0; bit < 4; bit++) {
            unsigned set = __ballot_sync(~0u, digit >> bit & 1);
            alike &= lane >> bit & 1 ? set : ~set;
        }
        own += __popc(alike);
    }
    if (lane < DIGITS)
        atomicAdd(&counts[lane], own);
    __syncthreads();
    if (t < DIGITS)
        out[blockIdx.x * DIGITS + t] = (float)counts[t];
}

static void prepare_digits(int size)
{
    prepare(size);
    steps_free(&out);
    out = steps_output(n / SHARE * DIGITS);
}

static void digits_reference(float *expected)
{
    memset(expected, 0, out.count * sizeof(float));
    for (int i = 0; i < n; i++)
        expected[i / SHARE * DIGITS + digit_of(in.host[i])]++;
}

static const struct step digits_steps[] = {
    {"atomics", launch_runs<digits_by_atomics, SHARE, BLOCK>, SHARE},
    {"columns", launch_runs<digits_by_columns, SHARE, BLOCK>, SHARE},
    {"ballots", launch_runs<digits_by_ballots, SHARE, BLOCK>, SHARE},
};
const struct step_family digits_family = {
    "digits", digits_steps, STEPS_COUNT(digits_steps), 1 << 24, 5003, 0, prepare_digits, finish, &out,
    digits_reference};
