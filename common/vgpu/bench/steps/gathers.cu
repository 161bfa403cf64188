/* gathers.cu - how the lanes of a warp share a memory access: all of them one address, one row each or one row
 * together, structures or arrays, columns in long or short chunks; and small arrays of each thread's own.
 * Within a family all steps read the same words; what differs is which lane asks for which, and how wide. */
#include "steps.h"

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* What one load of WIDTH words brings. */
template <int WIDTH> struct wide_words;
template <> struct wide_words<1> {
    typedef float type;
};
template <> struct wide_words<2> {
    typedef float2 type;
};
template <> struct wide_words<4> {
    typedef float4 type;
};

template <int WIDTH> __device__ static void load_wide(float *to, const float *from)
{
    typename wide_words<WIDTH>::type loaded = *(const typename wide_words<WIDTH>::type *)from;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        to[k] = ((const float *)&loaded)[k];
}

template <int WIDTH> __device__ static void store_wide(float *to, const float *from)
{
    typename wide_words<WIDTH>::type stored;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        ((float *)&stored)[k] = from[k];
    *(typename wide_words<WIDTH>::type *)to = stored;
}

/* ---------------------------------------------------------------------------------- one address for all lanes */

enum { TERMS = 256 };

/* A warp has a polynomial, each lane another point. */
__host__ __device__ static float point_of(int lane)
{
    return (lane + 1) * (0.75f / LANES);
}

template <int WIDTH> __global__ void horner_uniform(float *out, const float *terms, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(t % LANES);
    for (int k = 0; k < TERMS; k += WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &terms[row * TERMS + k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            value = value * x + term[w];
    }
    out[t] = value;
}

/* Every lane loads its part, and tells the others. */
template <int WIDTH> __global__ void horner_per_lane(float *out, const float *terms, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES, lane = t % LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(lane);
    for (int k = 0; k < TERMS; k += LANES * WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &terms[row * TERMS + k + lane * WIDTH]);
        for (int from = 0; from < LANES; from++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                value = value * x + __shfl_sync(~0u, term[w], from);
    }
    out[t] = value;
}

template <int WIDTH> __global__ void horner_shared(float *out, const float *terms, int n)
{
    __shared__ __align__(16) float own[BLOCK / LANES][TERMS];
    int t = blockIdx.x * BLOCK + threadIdx.x, row = t / LANES, lane = t % LANES, warp = threadIdx.x / LANES;
    if (row >= n)
        return;
    float value = 0, x = point_of(lane);
    for (int k = lane; k < TERMS; k += LANES)
        own[warp][k] = terms[row * TERMS + k];
    __syncwarp();
    for (int k = 0; k < TERMS; k += WIDTH) {
        float term[WIDTH];
        load_wide<WIDTH>(term, &own[warp][k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            value = value * x + term[w];
    }
    out[t] = value;
}

typedef void plain_kernel(float *out, const float *in, int n);

/* PER threads for each of n. */
template <plain_kernel *KERNEL, int PER, int THREADS> static void launch_plain(void)
{
    KERNEL<<<steps_blocks((size_t)n * PER, THREADS), THREADS>>>(out.device, in.device, n);
}

static void prepare_horner(int size)
{
    n = size;
    in = steps_input((size_t)n * TERMS, 41);
    out = steps_output((size_t)n * LANES);
}

static void horner_reference(float *expected)
{
    for (int t = 0; t < n * LANES; t++) {
        double value = 0;
        for (int k = 0; k < TERMS; k++)
            value = value * point_of(t % LANES) + in.host[t / LANES * TERMS + k];
        expected[t] = (float)value;
    }
}

static const struct step broadcast_steps[] = {
    {"words", launch_plain<horner_uniform<1>, LANES, BLOCK>},
    {"pairs", launch_plain<horner_uniform<2>, LANES, BLOCK>},
    {"quads", launch_plain<horner_uniform<4>, LANES, BLOCK>},
    {"per_lane", launch_plain<horner_per_lane<1>, LANES, BLOCK>},
    {"per_lane_quads", launch_plain<horner_per_lane<4>, LANES, BLOCK>},
    {"shared", launch_plain<horner_shared<1>, LANES, BLOCK>},
    {"shared_quads", launch_plain<horner_shared<4>, LANES, BLOCK>},
};
const struct step_family broadcast_family = {
    "broadcast", broadcast_steps, STEPS_COUNT(broadcast_steps), 1 << 15, 101, 1e-4, prepare_horner, finish, &out,
    horner_reference};

/* ------------------------------------------------------------------------------------- arrays of a thread's own */

enum { SWAPS = 64, SWAP_BLOCK = 128 };

__host__ __device__ static unsigned next_random(unsigned random)
{
    return random * 1664525u + 1013904223u;
}

/* Indexes known only at run time: the array lies in local memory. */
template <int WORDS> struct own_local {
    float words[WORDS];
    __host__ __device__ float get(int i) const
    {
        return words[i];
    }
    __host__ __device__ void set(int i, float value)
    {
        words[i] = value;
    }
};

/* Registers: every word is looked at, and one is taken. */
template <int WORDS> struct own_selected {
    float words[WORDS];
    __device__ float get(int i) const
    {
        float value = words[0];
#pragma unroll
        for (int k = 1; k < WORDS; k++) {
            float word = words[k];
            value = k == i ? word : value;
        }
        return value;
    }
    __device__ void set(int i, float value)
    {
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            float word = words[k];
            words[k] = k == i ? value : word;
        }
    }
};

/* A column of shared memory: no two lanes share a bank. */
template <int WORDS> struct own_shared {
    __device__ static float *column(void)
    {
        __shared__ float words[WORDS * SWAP_BLOCK];
        return words + threadIdx.x;
    }
    __device__ float get(int i) const
    {
        return column()[i * SWAP_BLOCK];
    }
    __device__ void set(int i, float value)
    {
        column()[i * SWAP_BLOCK] = value;
    }
};

/* Reads column i of `in`, exchanges words at random, and weighs what stands where. */
template <int WORDS, class OWN> __host__ __device__ static float swap_words(OWN &own, const float *in, int i, int n)
{
    float sum = 0;
    unsigned random = i * 2654435761u;
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        own.set(k, in[(size_t)k * n + i]);
#pragma unroll 1
    for (int turn = 0; turn < SWAPS; turn++) {
        random = next_random(random);
        int p = (random >> 10) % WORDS, q = (random >> 20) % WORDS;
        float from_p = own.get(p), from_q = own.get(q);
        own.set(p, from_q);
        own.set(q, from_p);
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        sum += own.get(k) * ((k + 1) * (1.0f / WORDS));
    return sum;
}

template <int WORDS, class OWN> __global__ void swap_all(float *out, const float *in, int n)
{
    int i = blockIdx.x * SWAP_BLOCK + threadIdx.x;
    OWN own;
    if (i < n)
        out[i] = swap_words<WORDS>(own, in, i, n);
}

template <int WORDS> static void prepare_swaps(int size)
{
    n = size;
    in = steps_input((size_t)n * WORDS, 42);
    out = steps_output(n);
}

template <int WORDS> static void swaps_reference(float *expected)
{
    struct own_local<WORDS> own;
    for (int i = 0; i < n; i++)
        expected[i] = swap_words<WORDS>(own, in.host, i, n);
}

template <int WORDS>
static const struct step swap_steps[] = {
    {"local", launch_plain<swap_all<WORDS, own_local<WORDS>>, 1, SWAP_BLOCK>},
    {"selected", launch_plain<swap_all<WORDS, own_selected<WORDS>>, 1, SWAP_BLOCK>},
    {"shared", launch_plain<swap_all<WORDS, own_shared<WORDS>>, 1, SWAP_BLOCK>},
};
const struct step_family swaps8_family = {
    "swaps8", swap_steps<8>, 3, 1 << 19, 1001, 1e-4, prepare_swaps<8>, finish, &out, swaps_reference<8>};
const struct step_family swaps16_family = {
    "swaps16", swap_steps<16>, 3, 1 << 19, 1001, 1e-4, prepare_swaps<16>, finish, &out, swaps_reference<16>};
const struct step_family swaps64_family = {
    "swaps64", swap_steps<64>, 3, 1 << 18, 1001, 1e-4, prepare_swaps<64>, finish, &out, swaps_reference<64>};

/* ------------------------------------------------------------------------------------------- rows */

static int *indexes, *host_indexes;

/* Adds up n rows of WORDS words. TOGETHER lanes share a row; each load brings WIDTH words. */
template <int WORDS, int TOGETHER, int WIDTH>
__global__ void add_rows(float *out, const float *in, const int *indexes, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, i = t / TOGETHER, lane = t % TOGETHER;
    const float *row = &in[(size_t)indexes[min(i, n - 1)] * WORDS];
    float sum = 0;
    for (int k = lane * WIDTH; k < WORDS; k += TOGETHER * WIDTH) {
        float word[WIDTH];
        load_wide<WIDTH>(word, &row[k]);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            sum += word[w];
    }
#pragma unroll
    for (int apart = TOGETHER / 2; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane == 0 && i < n)
        out[i] = sum;
}

template <int WORDS, int TOGETHER, int WIDTH> static void launch_rows(void)
{
    add_rows<WORDS, TOGETHER, WIDTH>
        <<<steps_blocks((size_t)n * TOGETHER, BLOCK), BLOCK>>>(out.device, in.device, indexes, n);
}

static void sort_indexes(void)
{
    int *count = (int *)calloc(n, sizeof(int)), filled = 0;
    if (!count)
        exit(2);
    for (int i = 0; i < n; i++)
        count[host_indexes[i]]++;
    for (int row = 0; row < n; row++)
        for (; count[row] > 0; count[row]--)
            host_indexes[filled++] = row;
    free(count);
}

template <int WORDS, bool IS_SORTED> static void prepare_rows(int size)
{
    n = size;
    in = steps_input((size_t)n * WORDS, 43);
    out = steps_output(n);
    host_indexes = (int *)malloc(n * sizeof(int));
    if (!host_indexes)
        exit(2);
    for (int i = 0; i < n; i++)
        host_indexes[i] = (int)(steps_value(i, 44) * n);
    if (IS_SORTED)
        sort_indexes();
    STEPS_CHECK(cudaMalloc((void **)&indexes, n * sizeof(int)));
    STEPS_CHECK(cudaMemcpy(indexes, host_indexes, n * sizeof(int), cudaMemcpyHostToDevice));
}

static void finish_rows(void)
{
    finish();
    STEPS_CHECK(cudaFree(indexes));
    free(host_indexes);
}

template <int WORDS> static void rows_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < WORDS; k++)
            sum += in.host[(size_t)host_indexes[i] * WORDS + k];
        expected[i] = (float)sum;
    }
}

template <int WORDS>
static const struct step row_steps[] = {
    {"thread", launch_rows<WORDS, 1, 1>},
    {"thread_quads", launch_rows<WORDS, 1, 4>},
    {"lanes8", launch_rows<WORDS, 8, 1>},
    {"warp", launch_rows<WORDS, LANES, 1>},
    {"quads", launch_rows<WORDS, WORDS / 4 < LANES ? WORDS / 4 : LANES, 4>},
};
#define ROWS_FAMILY(name, words, is_sorted, size)                                                                \
    {                                                                                                            \
        name, row_steps<words>, 5, size, 1001, 1e-3, prepare_rows<words, is_sorted>, finish_rows, &out,          \
            rows_reference<words>                                                                                \
    }
const struct step_family rows8_family = ROWS_FAMILY("rows8", 8, false, 1 << 22);
const struct step_family rows8_sorted_family = ROWS_FAMILY("rows8_sorted", 8, true, 1 << 22);
const struct step_family rows32_family = ROWS_FAMILY("rows32", 32, false, 1 << 20);
const struct step_family rows32_sorted_family = ROWS_FAMILY("rows32_sorted", 32, true, 1 << 20);
const struct step_family rows128_family = ROWS_FAMILY("rows128", 128, false, 1 << 18);
const struct step_family rows128_sorted_family = ROWS_FAMILY("rows128_sorted", 128, true, 1 << 18);
