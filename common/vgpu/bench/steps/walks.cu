/* walks.cu - the same words in another order: buffers walked again and again, chunks, strides, random sectors and lines,
 * and nodes that must be read to know which is next.
 * All threads of a walk are resident at once. Its result is the average of the words it read, so that within a family any
 * order and any size of buffer give the same. */
#include "steps.h"

#include <cstring>

enum { BLOCK = 256, BLOCKS = 1024, THREADS = BLOCK * BLOCKS, SECTOR_WORDS = 8, LINE_WORDS = 32 };

static int n; /* words; where buffers differ, those of the smallest */
static struct steps_array in, out;

/* `copies` times the same n words. */
static void prepare_copies(int words, int copies)
{
    n = words;
    in = steps_output((size_t)n * copies);
    in.host = (float *)malloc(in.count * sizeof(float));
    if (!in.host)
        exit(2);
    for (int i = 0; i < n; i++)
        in.host[i] = steps_value(i, 51);
    for (int c = 1; c < copies; c++)
        memcpy(in.host + (size_t)c * n, in.host, n * sizeof(float));
    steps_upload(&in);
    out = steps_output(1);
}

static void prepare_once(int size)
{
    prepare_copies(size, 1);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* Every thread of the block comes here, once; out was 0. */
__device__ static void add_to_average(float *out, float sum, float count)
{
    __shared__ float parts[BLOCK];
    int t = threadIdx.x;
    parts[t] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            parts[t] += parts[t + half];
    }
    if (t == 0)
        atomicAdd(out, parts[0] / count);
}

static void clear_average(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, sizeof(float)));
}

/* Of every `apart`-th word. */
static float average_of(int apart)
{
    double sum = 0;
    for (size_t i = 0; i < in.count; i += apart)
        sum += in.host[i];
    return (float)(sum / (double)(in.count / apart));
}

static void average_reference(float *expected)
{
    expected[0] = average_of(1);
}

static void sectors_reference(float *expected)
{
    expected[0] = average_of(SECTOR_WORDS);
}

/* ------------------------------------------------------------------------------------------- again and again */

enum { MOST_COPIES = 32, PASSES = 64 };

__device__ static float sum_of(float x)
{
    return x;
}

__device__ static float sum_of(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

template <class WORD>
__global__ void walk_again(float *out, const WORD *in, int count, int rounds, float words)
{
    float sum = 0;
    for (int round = 0; round < rounds; round++)
#pragma unroll 4
        for (int i = blockIdx.x * BLOCK + threadIdx.x; i < count; i += THREADS)
            sum += sum_of(in[i]);
    add_to_average(out, sum, words);
}

/* As many words in all, whatever the size. */
template <class WORD, int COPIES> static void launch_again(void)
{
    int count = (int)((size_t)n * COPIES * sizeof(float) / sizeof(WORD));
    clear_average();
    walk_again<<<BLOCKS, BLOCK>>>(out.device, (const WORD *)in.device, count, PASSES / COPIES,
                                  (float)n * PASSES);
}

static void prepare_again(int size)
{
    prepare_copies(size, MOST_COPIES);
}

static const struct step walk_words_steps[] = {
    {"mb8", launch_again<float, 1>},
    {"mb32", launch_again<float, 4>},
    {"mb64", launch_again<float, 8>},
    {"mb256", launch_again<float, 32>},
};
const struct step_family walk_words_family = {
    "walk_words", walk_words_steps, STEPS_COUNT(walk_words_steps), 1 << 21, 10007, 1e-5, prepare_again,
    finish, &out, average_reference};

static const struct step walk_vectors_steps[] = {
    {"mb8", launch_again<float4, 1>, 4},
    {"mb32", launch_again<float4, 4>, 4},
    {"mb64", launch_again<float4, 8>, 4},
    {"mb256", launch_again<float4, 32>, 4},
};
const struct step_family walk_vectors_family = {
    "walk_vectors", walk_vectors_steps, STEPS_COUNT(walk_vectors_steps), 1 << 21, 10007, 1e-5,
    prepare_again, finish, &out, average_reference};

/* ------------------------------------------------------------------------------------------- chunks */

/* The threads are groups of `members`; every group has a chunk, and its members take turns. */
template <bool IS_REVERSED> __global__ void walk_chunks(float *out, const float *in, int n, int members)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, groups = THREADS / members,
        chunk = (n + groups - 1) / groups;
    int begin = thread / members * chunk, end = begin + chunk < n ? begin + chunk : n;
    float sum = 0;
#pragma unroll 4
    for (int i = begin + thread % members; i < end; i += members)
        sum += in[IS_REVERSED ? n - 1 - i : i];
    add_to_average(out, sum, (float)n);
}

template <int MEMBERS, bool IS_REVERSED> static void launch_chunks(void)
{
    clear_average();
    walk_chunks<IS_REVERSED><<<BLOCKS, BLOCK>>>(out.device, in.device, n, MEMBERS);
}

static const struct step walk_order_steps[] = {
    {"cyclic", launch_chunks<THREADS, false>},     {"reversed", launch_chunks<THREADS, true>},
    {"block_chunks", launch_chunks<BLOCK, false>}, {"block_chunks_reversed", launch_chunks<BLOCK, true>},
    {"warp_chunks", launch_chunks<32, false>},     {"thread_chunks", launch_chunks<1, false>},
};
const struct step_family walk_order_family = {
    "walk_order", walk_order_steps, STEPS_COUNT(walk_order_steps), 1 << 26, 300007, 1e-5, prepare_once,
    finish, &out, average_reference};

/* ------------------------------------------------------------------------------------------- strides */

/* A word of every sector. Neighbours are STRIDE sectors apart; what lies between them comes in the next rounds. */
template <int STRIDE> __global__ void walk_strides(float *out, const float *in, int sectors)
{
    float sum = 0;
    for (int round = 0; round < STRIDE; round++)
#pragma unroll 4
        for (int i = blockIdx.x * BLOCK + threadIdx.x; i < sectors / STRIDE; i += THREADS)
            sum += in[((size_t)i * STRIDE + round) * SECTOR_WORDS];
    add_to_average(out, sum, (float)sectors);
}

template <int STRIDE> static void launch_strides(void)
{
    clear_average();
    walk_strides<STRIDE><<<BLOCKS, BLOCK>>>(out.device, in.device, n / SECTOR_WORDS);
}

enum { STRIDES_MULTIPLE = 32 * SECTOR_WORDS };

static const struct step walk_strides_steps[] = {
    {"sectors1", launch_strides<1>, STRIDES_MULTIPLE},
    {"sectors2", launch_strides<2>, STRIDES_MULTIPLE},
    {"sectors4", launch_strides<4>, STRIDES_MULTIPLE},
    {"sectors32", launch_strides<32>, STRIDES_MULTIPLE},
};
const struct step_family walk_strides_family = {
    "walk_strides", walk_strides_steps, STEPS_COUNT(walk_strides_steps), 1 << 26, 100003, 1e-5,
    prepare_once, finish, &out, sectors_reference};

/* ------------------------------------------------------------------------------------------- random places */

enum { PARTS = 16, SMALLEST = 1 << 10 }; /* SMALLEST: words of a part; a power of two, so are all sizes */

/* A permutation of the numbers of `bits` bits: every step of it can be undone. */
__device__ static unsigned shuffled(unsigned i, int bits)
{
    unsigned mask = (1u << bits) - 1;
    i = i * 2654435761u & mask;
    i ^= i >> (bits / 2);
    i = i * 2246822519u & mask;
    i ^= i >> (bits / 2 + 1);
    return i;
}

/* Units of UNIT words, among 1 << bits of them; `LANES` threads read the first words of each. */
template <int UNIT, int LANES, bool IS_SHUFFLED>
__global__ void walk_units(float *out, const float *in, unsigned units, int bits)
{
    unsigned thread = blockIdx.x * BLOCK + threadIdx.x, mask = (1u << bits) - 1;
    float sum = 0;
#pragma unroll 4
    for (unsigned i = thread / LANES; i < units; i += THREADS / LANES) {
        unsigned unit = IS_SHUFFLED ? shuffled(i & mask, bits) : i & mask;
        sum += in[(size_t)unit * UNIT + thread % LANES];
    }
    add_to_average(out, sum, (float)units * LANES);
}

/* COPIES of the parts are read, all of them as often as it takes to read a word per unit of the whole. */
template <int UNIT, int LANES, bool IS_SHUFFLED, int COPIES> static void launch_units(void)
{
    int bits = 0;
    while (UNIT << bits < n * COPIES)
        bits++;
    clear_average();
    walk_units<UNIT, LANES, IS_SHUFFLED><<<BLOCKS, BLOCK>>>(out.device, in.device, n / UNIT * PARTS, bits);
}

static void prepare_parts(int size)
{
    prepare_copies(size, PARTS);
}

static const struct step random_sectors_steps[] = {
    {"in_order", launch_units<SECTOR_WORDS, 1, false, PARTS>, SMALLEST},
    {"mb256", launch_units<SECTOR_WORDS, 1, true, PARTS>, SMALLEST},
    {"mb16", launch_units<SECTOR_WORDS, 1, true, 1>, SMALLEST},
};
const struct step_family random_sectors_family = {
    "random_sectors", random_sectors_steps, STEPS_COUNT(random_sectors_steps), 1 << 22, 1000, 1e-5,
    prepare_parts, finish, &out, sectors_reference};

static const struct step random_lines_steps[] = {
    {"in_order", launch_units<LINE_WORDS, LINE_WORDS, false, PARTS>, SMALLEST},
    {"mb256", launch_units<LINE_WORDS, LINE_WORDS, true, PARTS>, SMALLEST},
    {"mb16", launch_units<LINE_WORDS, LINE_WORDS, true, 1>, SMALLEST},
    {"sectors_mb256", launch_units<SECTOR_WORDS, SECTOR_WORDS, true, PARTS>, SMALLEST},
    {"sectors_mb16", launch_units<SECTOR_WORDS, SECTOR_WORDS, true, 1>, SMALLEST},
};
const struct step_family random_lines_family = {
    "random_lines", random_lines_steps, STEPS_COUNT(random_lines_steps), 1 << 22, 1000, 1e-5,
    prepare_parts, finish, &out, average_reference};

/* ------------------------------------------------------------------------------------------- pointers */

enum { CHAINS = 32, HOPS = 96 };

/* A node fills a sector; all nodes are one ring. */
struct node {
    int next, unused[SECTOR_WORDS - 1];
};

static int first_node, moves_by; /* where the first chain starts, and how far further with every launch */

__host__ __device__ static int start_of(int chain, int first, int n)
{
    return (int)((first + (long long)chain * n / CHAINS) % n);
}

/* One lane goes CHAINS ways, TOGETHER of them at a time. */
template <int TOGETHER> __global__ void chase_alone(float *out, const struct node *nodes, int first, int n)
{
    for (int chain = 0; chain < CHAINS; chain += TOGETHER) {
        int at[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            at[k] = start_of(chain + k, first, n);
        for (int hop = 0; hop < HOPS; hop++)
#pragma unroll
            for (int k = 0; k < TOGETHER; k++)
                at[k] = nodes[at[k]].next;
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            out[chain + k] = (float)at[k];
    }
}

__global__ void chase_by_lanes(float *out, const struct node *nodes, int first, int n)
{
    int chain = blockIdx.x * blockDim.x + threadIdx.x, at = start_of(chain, first, n);
    for (int hop = 0; hop < HOPS; hop++)
        at = nodes[at].next;
    out[chain] = (float)at;
}

typedef void chase_kernel(float *out, const struct node *nodes, int first, int n);

template <chase_kernel KERNEL, int CHASE_BLOCKS, int LANES> static void launch_chase(void)
{
    KERNEL<<<CHASE_BLOCKS, LANES>>>(out.device, (const struct node *)in.device, first_node, n);
    first_node = (first_node + moves_by) % n;
}

/* Sattolo's shuffle leaves one ring. */
static void prepare_ring(int size)
{
    n = size;
    first_node = 0;
    in = steps_input((size_t)n * SECTOR_WORDS, 52);
    out = steps_output(CHAINS);
    struct node *nodes = (struct node *)in.host;
    for (int i = 0; i < n; i++)
        nodes[i].next = i;
    for (int i = n - 1; i > 0; i--) {
        int other = (int)((double)steps_value(i, 53) * i), next = nodes[i].next;
        nodes[i].next = nodes[other].next;
        nodes[other].next = next;
    }
    steps_upload(&in);
}

/* Every launch finds what the one before it has read. */
static void prepare_fixed_ring(int size)
{
    moves_by = 0;
    prepare_ring(size);
}

/* A launch hardly meets what launches before it have read, nor what the upload left in L2: other bytes drive it out. */
static void prepare_moving_ring(int size)
{
    moves_by = 12347;
    prepare_ring(size);
    struct steps_array others = steps_output(1 << 25);
    steps_free(&others);
}

static void chase_reference(float *expected)
{
    const struct node *nodes = (const struct node *)in.host;
    for (int chain = 0; chain < CHAINS; chain++) {
        int at = start_of(chain, first_node, n);
        for (int hop = 0; hop < HOPS; hop++)
            at = nodes[at].next;
        expected[chain] = (float)at;
    }
}

static const struct step chase_steps[] = {
    {"lane1", launch_chase<chase_alone<1>, 1, 1>},
    {"lane1_by_four", launch_chase<chase_alone<4>, 1, 1>},
    {"lanes32", launch_chase<chase_by_lanes, 1, CHAINS>},
    {"blocks32", launch_chase<chase_by_lanes, CHAINS, 1>},
};
/* 16 KB stay in L1, 16 MB in L2; of 256 MB, nearly every hop comes from DRAM. */
const struct step_family chase_l1_family = {
    "chase_l1", chase_steps, STEPS_COUNT(chase_steps), 1 << 9, 1009, 0, prepare_fixed_ring, finish, &out,
    chase_reference};
const struct step_family chase_l2_family = {
    "chase_l2", chase_steps, STEPS_COUNT(chase_steps), 1 << 19, 1009, 0, prepare_fixed_ring, finish, &out,
    chase_reference};
const struct step_family chase_dram_family = {
    "chase_dram", chase_steps, STEPS_COUNT(chase_steps), 1 << 23, 1009, 0, prepare_moving_ring, finish,
    &out, chase_reference};
