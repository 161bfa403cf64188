/* integers.cu - work on whole numbers alone: checksums (CRC), a hash of many rounds, and prime numbers.
 * Tables of 256 entries in every kind of memory; small arrays that may or may not stay in registers. */
#include "steps.h"

#include <cstring>

typedef unsigned char byte;

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out})
        steps_free(array);
}

/* What a float holds exactly. */
__host__ __device__ static float low_bits(unsigned word)
{
    return (float)(word & 0xffffff);
}

/* ---------------------------------------------------------------------------------------------- checksums */

enum { MESSAGE = 64, WORDS = MESSAGE / 4, ENTRIES = 256, TABLES = 4 };

static const unsigned polynomial = 0xedb88320u;

__constant__ unsigned constant_table[ENTRIES];
static unsigned host_tables[TABLES][ENTRIES]; /* table k: of a byte that k more follow */

__host__ __device__ static unsigned shift_bits(unsigned crc, int bits)
{
    for (int k = 0; k < bits; k++)
        crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    return crc;
}

__global__ void crc_by_bits(float *out, const unsigned *in, const unsigned *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int k = 0; k < WORDS; k++)
        crc = shift_bits(crc ^ in[i * WORDS + k], 32);
    out[i] = low_bits(crc);
}

__device__ static unsigned crc_of(const unsigned *message, const unsigned *table)
{
    unsigned crc = ~0u;
    for (int k = 0; k < WORDS; k++) {
        crc ^= message[k];
#pragma unroll
        for (int b = 0; b < 4; b++)
            crc = crc >> 8 ^ table[crc & 255];
    }
    return crc;
}

__global__ void crc_by_global(float *out, const unsigned *in, const unsigned *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = low_bits(crc_of(in + i * WORDS, table));
}

__global__ void crc_by_constant(float *out, const unsigned *in, const unsigned *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = low_bits(crc_of(in + i * WORDS, constant_table));
}

__global__ void crc_by_shared(float *out, const unsigned *in, const unsigned *table, int n)
{
    __shared__ unsigned own[ENTRIES];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    if (i < n)
        out[i] = low_bits(crc_of(in + i * WORDS, own));
}

/* Four tables: four bytes of a word do not wait for each other. */
__global__ void crc_by_slices(float *out, const unsigned *in, const unsigned *table, int n)
{
    __shared__ unsigned own[TABLES][ENTRIES];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = 0; k < TABLES; k++)
        own[k][threadIdx.x] = table[k * ENTRIES + threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int k = 0; k < WORDS; k++) {
        crc ^= in[i * WORDS + k];
        crc = own[3][crc & 255] ^ own[2][crc >> 8 & 255] ^ own[1][crc >> 16 & 255] ^ own[0][crc >> 24];
    }
    out[i] = low_bits(crc);
}

typedef void word_kernel(float *out, const unsigned *in, const unsigned *other, int n);

template <word_kernel *KERNEL, int SHARE> static void launch_words(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, (const unsigned *)in.device,
                                              (const unsigned *)other.device, n);
}

static struct steps_array random_bytes(size_t count, int seed, int kinds)
{
    struct steps_array array = steps_array_of<byte>(count);
    for (size_t i = 0; i < count; i++)
        ((byte *)array.host)[i] = (byte)(steps_value(i, seed) * kinds);
    steps_upload(&array);
    return array;
}

static void prepare_crc(int size)
{
    n = size;
    in = random_bytes((size_t)n * MESSAGE, 191, 256);
    for (int k = 0; k < TABLES; k++)
        for (int i = 0; i < ENTRIES; i++)
            host_tables[k][i] = shift_bits(i, 8 * (k + 1));
    other = steps_array_of<unsigned>(TABLES * ENTRIES);
    memcpy(other.host, host_tables, sizeof host_tables);
    steps_upload(&other);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_table, host_tables[0], sizeof constant_table));
    out = steps_output(n);
}

/* Bit by bit and byte by byte. */
static void crc_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        unsigned crc = ~0u;
        for (int k = 0; k < MESSAGE; k++)
            crc = shift_bits(crc ^ ((byte *)in.host)[(size_t)i * MESSAGE + k], 8);
        expected[i] = low_bits(crc);
    }
}

static const struct step crc_steps[] = {
    {"bits", launch_words<crc_by_bits, BLOCK>},         {"global", launch_words<crc_by_global, BLOCK>},
    {"constant", launch_words<crc_by_constant, BLOCK>}, {"shared", launch_words<crc_by_shared, BLOCK>},
    {"slices", launch_words<crc_by_slices, BLOCK>},
};
const struct step_family crc_family = {
    "crc", crc_steps, STEPS_COUNT(crc_steps), 1 << 20, 1001, 0, prepare_crc, finish, &out, crc_reference};

/* --------------------------------------------------------------------------------------- a hash of rounds */

enum { ROUNDS = 64, WINDOW = 16 };

__host__ __device__ static unsigned rotate(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

/* The word of a round follows from those 2, 7, 15 and 16 rounds before. */
__host__ __device__ static unsigned next_word(unsigned before2, unsigned before7, unsigned before15,
                                              unsigned before16)
{
    return (rotate(before2, 17) ^ rotate(before2, 19) ^ before2 >> 10) + before7 +
           (rotate(before15, 7) ^ rotate(before15, 18) ^ before15 >> 3) + before16;
}

struct hash_state {
    unsigned a, b, c, d;
};

__host__ __device__ static void mix(struct hash_state *s, unsigned word, int round)
{
    unsigned sum = s->d + word + (unsigned)round * 0x9e3779b9u + (rotate(s->a, 6) ^ rotate(s->a, 11)) +
                   ((s->a & s->b) ^ (~s->a & s->c));
    s->d = s->c;
    s->c = s->b;
    s->b = s->a;
    s->a = sum + (rotate(s->b, 2) ^ rotate(s->c, 13));
}

__host__ __device__ static struct hash_state hash_start(void)
{
    return {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au};
}

/* All words first, in an array of 64. */
template <class LOAD> __host__ __device__ static unsigned hash_with_array(LOAD load)
{
    unsigned words[ROUNDS];
    struct hash_state state = hash_start();
    for (int k = 0; k < WINDOW; k++)
        words[k] = load.word(k);
#pragma unroll 1
    for (int k = WINDOW; k < ROUNDS; k++)
        words[k] = next_word(words[k - 2], words[k - 7], words[k - 15], words[k - 16]);
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++)
        mix(&state, words[k], k);
    return state.a ^ state.c;
}

/* Word k of message i lies with the other messages' words k. */
struct column {
    const unsigned *in;
    int i, n;
    __host__ __device__ unsigned word(int k) const
    {
        return in[(size_t)k * n + i];
    }
};

__global__ void hash_array(float *out, const unsigned *in, const unsigned *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = low_bits(hash_with_array(column{in, i, n}));
}

/* A window of sixteen words in registers. MESSAGES of a thread go side by side, a block apart. */
template <int MESSAGES> __global__ void hash_window(float *out, const unsigned *in, const unsigned *, int n)
{
    int first = blockIdx.x * BLOCK * MESSAGES + threadIdx.x;
    unsigned window[MESSAGES][WINDOW];
    struct hash_state state[MESSAGES];
#pragma unroll
    for (int m = 0; m < MESSAGES; m++) {
        state[m] = hash_start();
#pragma unroll
        for (int k = 0; k < WINDOW; k++)
            window[m][k] = column{in, min(first + m * BLOCK, n - 1), n}.word(k);
    }
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round += WINDOW)
#pragma unroll
        for (int k = 0; k < WINDOW; k++)
#pragma unroll
            for (int m = 0; m < MESSAGES; m++) {
                mix(&state[m], window[m][k], round + k);
                window[m][k] = next_word(window[m][(k + 14) % WINDOW], window[m][(k + 9) % WINDOW],
                                         window[m][(k + 1) % WINDOW], window[m][k]);
            }
#pragma unroll
    for (int m = 0; m < MESSAGES; m++)
        if (first + m * BLOCK < n)
            out[first + m * BLOCK] = low_bits(state[m].a ^ state[m].c);
}

static void prepare_hash(int size)
{
    n = size;
    in = random_bytes((size_t)n * WINDOW * sizeof(unsigned), 192, 256);
    out = steps_output(n);
}

static void hash_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = low_bits(hash_with_array(column{(const unsigned *)in.host, i, n}));
}

static const struct step hash_rounds_steps[] = {
    {"array", launch_words<hash_array, BLOCK>},
    {"window", launch_words<hash_window<1>, BLOCK>},
    {"two_messages", launch_words<hash_window<2>, 2 * BLOCK>},
};
const struct step_family hash_rounds_family = {
    "hash_rounds", hash_rounds_steps, STEPS_COUNT(hash_rounds_steps), 1 << 19, 1001, 0, prepare_hash, finish,
    &out, hash_reference};

/* ------------------------------------------------------------------------------------------ prime numbers */

enum { SEGMENT = 8192, MOST_ROOT = 2048 }; /* how many primes a segment has is a result */

static int nprimes; /* below MOST_ROOT */

__host__ __device__ static bool is_prime(unsigned x, const unsigned *primes, int nprimes)
{
    for (int k = 0; k < nprimes && primes[k] * primes[k] <= x; k++)
        if (x % primes[k] == 0)
            return false;
    return x > 1;
}

typedef void prime_kernel(int *counts, const unsigned *primes, int nprimes);

__global__ void primes_by_division(int *counts, const unsigned *primes, int nprimes)
{
    int found = 0;
    for (int k = threadIdx.x; k < SEGMENT; k += BLOCK)
        found += is_prime(blockIdx.x * SEGMENT + k, primes, nprimes);
    atomicAdd(&counts[blockIdx.x], found);
}

/* The first multiple of a prime that is not below `from` and not the prime itself, relative to `from`. */
__device__ static unsigned first_multiple(unsigned prime, unsigned from)
{
    unsigned first = (from + prime - 1) / prime * prime;
    return (first > prime ? first : 2 * prime) - from;
}

/* A byte for each number; all threads strike out the multiples of one prime, then those of the next. */
__global__ void primes_by_bytes(int *counts, const unsigned *primes, int nprimes)
{
    __shared__ byte is_struck[SEGMENT];
    int t = threadIdx.x, from = blockIdx.x * SEGMENT, found = 0;
    for (int k = t; k < SEGMENT; k += BLOCK)
        is_struck[k] = from + k < 2;
    for (int p = 0; p < nprimes; p++) {
        __syncthreads();
        for (unsigned k = first_multiple(primes[p], from) + t * primes[p]; k < SEGMENT;
             k += BLOCK * primes[p])
            is_struck[k] = 1;
    }
    __syncthreads();
    for (int k = t; k < SEGMENT; k += BLOCK)
        found += !is_struck[k];
    atomicAdd(&counts[blockIdx.x], found);
}

/* A bit for each number; every thread has its own primes. */
__global__ void primes_by_bits(int *counts, const unsigned *primes, int nprimes)
{
    __shared__ unsigned struck[SEGMENT / 32];
    int t = threadIdx.x, from = blockIdx.x * SEGMENT;
    struck[t] = from + t == 0 ? 3 : 0;
    __syncthreads();
    for (int p = t; p < nprimes; p += BLOCK)
        for (unsigned k = first_multiple(primes[p], from); k < SEGMENT; k += primes[p])
            atomicOr(&struck[k / 32], 1u << k % 32);
    __syncthreads();
    atomicAdd(&counts[blockIdx.x], 32 - __popc(struck[t]));
}

template <prime_kernel *KERNEL> static void launch_primes(void)
{
    STEPS_CHECK(cudaMemsetAsync(other.device, 0, other.count * sizeof(int)));
    KERNEL<<<n / SEGMENT, BLOCK>>>((int *)other.device, (const unsigned *)in.device, nprimes);
}

static void prepare_primes(int size)
{
    n = size;
    in = steps_array_of<unsigned>(MOST_ROOT);
    unsigned *primes = (unsigned *)in.host;
    nprimes = 0;
    for (unsigned x = 2; x < MOST_ROOT; x++)
        if (is_prime(x, primes, nprimes))
            primes[nprimes++] = x;
    steps_upload(&in);
    other = steps_output(n / SEGMENT);
    out.count = n / SEGMENT;
}

static void primes_reference(float *expected)
{
    memset(expected, 0, out.count * sizeof(float));
    for (int i = 0; i < n; i++)
        expected[i / SEGMENT] += is_prime(i, (const unsigned *)in.host, nprimes);
}

static void collect_primes(float *got)
{
    steps_collect<int>(got, &other, out.count);
}

static const struct step primes_steps[] = {
    {"division", launch_primes<primes_by_division>, SEGMENT},
    {"bytes", launch_primes<primes_by_bytes>, SEGMENT},
    {"bits", launch_primes<primes_by_bits>, SEGMENT},
};
const struct step_family primes_family = {
    "primes", primes_steps, STEPS_COUNT(primes_steps), 1 << 22, 20011, 0, prepare_primes, finish, &out,
    primes_reference, collect_primes};
