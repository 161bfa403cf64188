/* searches.cu - looking for things: a key in a sorted array and in a hash table, and a word in a text.
 * What is looked for decides where the next access goes; tables are larger than L1. */
#include "steps.h"

#include <algorithm>
#include <cstring>

typedef unsigned char byte;

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, table, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &table, &out})
        steps_free(array);
}

/* -------------------------------------------------------------------------------------- in a sorted array */

enum { SORTED = 1 << 20, TOP_LEVELS = 10, TOP = 1 << TOP_LEVELS };

/* How many of the array are not above x. */
__host__ __device__ static int count_upto(const float *sorted, float x)
{
    int first = 0, last = SORTED;
    while (first < last) {
        int middle = (first + last) / 2;
        if (sorted[middle] <= x)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

__global__ void search_halves(float *out, const float *in, const float *sorted, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = (float)count_upto(sorted, in[i]);
}

/* The same number of steps for all, and no branch in them. */
__global__ void search_steps(float *out, const float *in, const float *sorted, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, first = 0;
    if (i >= n)
        return;
    float x = in[i];
#pragma unroll
    for (int half = SORTED / 2; half > 0; half /= 2)
        first += sorted[first + half - 1] <= x ? half : 0;
    out[i] = (float)(first + (sorted[first] <= x));
}

/* The first ten steps in shared memory: every 1024th key is there. */
__global__ void search_top_in_shared(float *out, const float *in, const float *sorted, int n)
{
    __shared__ float top[TOP];
    for (int k = threadIdx.x; k < TOP; k += BLOCK)
        top[k] = sorted[(k + 1) * (SORTED / TOP) - 1];
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        float x = in[i];
        int part = 0;
        for (int half = TOP / 2; half > 0; half /= 2)
            part += top[part + half - 1] <= x ? half : 0;
        int first = part * (SORTED / TOP);
        for (int half = SORTED / TOP / 2; half > 0; half /= 2)
            first += sorted[first + half - 1] <= x ? half : 0;
        out[i] = (float)(first + (sorted[first] <= x));
    }
}

/* Four searches of a thread side by side: their loads do not wait for each other. */
__global__ void search_four(float *out, const float *in, const float *sorted, int n)
{
    enum { EACH = 4 };
    int t = blockIdx.x * BLOCK * EACH + threadIdx.x, first[EACH] = {};
    float x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        x[k] = in[min(t + k * BLOCK, n - 1)];
    for (int half = SORTED / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < EACH; k++)
            first[k] += sorted[first[k] + half - 1] <= x[k] ? half : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (t + k * BLOCK < n)
            out[t + k * BLOCK] = (float)(first[k] + (sorted[first[k]] <= x[k]));
}

template <void (*KERNEL)(float *, const float *, const float *, int), int SHARE>
static void launch_search(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, in.device, table.device, n);
}

static void prepare_search(int size)
{
    n = size;
    in = steps_input(n, 181);
    table = steps_input(SORTED, 182);
    std::sort(table.host, table.host + SORTED);
    steps_upload(&table);
    out = steps_output(n);
}

static void search_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)(std::upper_bound(table.host, table.host + SORTED, in.host[i]) - table.host);
}

static const struct step binary_search_steps[] = {
    {"halves", launch_search<search_halves, BLOCK>},
    {"same_steps", launch_search<search_steps, BLOCK>},
    {"top_in_shared", launch_search<search_top_in_shared, 8 * BLOCK>},
    {"four_at_once", launch_search<search_four, 4 * BLOCK>},
};
const struct step_family binary_search_family = {
    "binary_search", binary_search_steps, STEPS_COUNT(binary_search_steps), 1 << 22, 5003, 0, prepare_search,
    finish, &out, search_reference};

/* --------------------------------------------------------------------------------------- in a hash table */

/* The table holds n keys in `slots` places, a power of two; a key lies in the first free place from its hash
 * on. The key's value is computed from it. Half of what is looked for is there. */
struct slot {
    unsigned key, value;
};

enum { GROUP = 4, FREE = 0 };

static unsigned slots;
static struct steps_array keys, values; /* the table once more: an array of keys, another of values */

__host__ __device__ static unsigned hash_of(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6bu;
    key ^= key >> 13;
    key *= 0xc2b2ae35u;
    return key ^ key >> 16;
}

static unsigned key_of(int i)
{
    return 2 * hash_of(i) + 1;
}

__host__ __device__ static unsigned value_of(unsigned key)
{
    return key >> 12 & 1023;
}

__global__ void find_in_pairs(float *out, const unsigned *wanted, const struct slot *table, unsigned mask,
                              int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = wanted[i], place = hash_of(key) & mask;
    while (table[place].key != key && table[place].key != FREE)
        place = (place + 1) & mask;
    out[i] = table[place].key == key ? (float)table[place].value : -1;
}

/* Key and value in one load. */
__global__ void find_in_words(float *out, const unsigned *wanted, const struct slot *table, unsigned mask,
                              int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = wanted[i], place = hash_of(key) & mask;
    uint2 slot = ((const uint2 *)table)[place];
    while (slot.x != key && slot.x != FREE) {
        place = (place + 1) & mask;
        slot = ((const uint2 *)table)[place];
    }
    out[i] = slot.x == key ? (float)slot.y : -1;
}

__global__ void find_in_arrays(float *out, const unsigned *wanted, const unsigned *keys,
                               const unsigned *values, unsigned mask, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = wanted[i], place = hash_of(key) & mask;
    while (keys[place] != key && keys[place] != FREE)
        place = (place + 1) & mask;
    out[i] = keys[place] == key ? (float)values[place] : -1;
}

/* Four lanes look at four places in a row for one key. */
__global__ void find_in_groups(float *out, const unsigned *wanted, const struct slot *table, unsigned mask,
                               int n)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, i = thread / GROUP, lane = thread % GROUP;
    unsigned group = 0xfu << (threadIdx.x % LANES / GROUP * GROUP);
    unsigned key = wanted[min(i, n - 1)], place = (hash_of(key) + lane) & mask, ends = 0;
    uint2 slot;
    do {
        slot = ((const uint2 *)table)[place];
        place = (place + GROUP) & mask;
        ends = __ballot_sync(group, slot.x == key || slot.x == FREE);
    } while (!ends);
    int who = __ffs((int)ends) - 1;
    if (i < n && threadIdx.x % LANES == who)
        out[i] = slot.x == key ? (float)slot.y : -1;
}

template <void (*KERNEL)(float *, const unsigned *, const struct slot *, unsigned, int), int EACH>
static void launch_find(void)
{
    KERNEL<<<steps_blocks((size_t)n * EACH, BLOCK), BLOCK>>>(out.device, (const unsigned *)in.device,
                                                             (const struct slot *)table.device, slots - 1, n);
}

static void launch_find_in_arrays(void)
{
    find_in_arrays<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, (const unsigned *)in.device,
                                                      (const unsigned *)keys.device,
                                                      (const unsigned *)values.device, slots - 1, n);
}

static void insert(unsigned key)
{
    struct slot *all = (struct slot *)table.host;
    unsigned place = hash_of(key) & (slots - 1);
    while (all[place].key != FREE && all[place].key != key)
        place = (place + 1) & (slots - 1);
    all[place] = {key, value_of(key)};
}

static void prepare_find(int size)
{
    n = size;
    for (slots = 1024; slots < 1.3 * n; slots *= 2) {}
    in = steps_array_of<unsigned>(n);
    table = steps_array_of<struct slot>(slots);
    keys = steps_array_of<unsigned>(slots);
    values = steps_array_of<unsigned>(slots);
    out = steps_output(n);
    for (int i = 0; i < n; i++) {
        insert(key_of(i));
        ((unsigned *)in.host)[i] = key_of((int)(steps_value(i, 183) * 2 * n));
    }
    for (unsigned i = 0; i < slots; i++) {
        ((unsigned *)keys.host)[i] = ((struct slot *)table.host)[i].key;
        ((unsigned *)values.host)[i] = ((struct slot *)table.host)[i].value;
    }
    for (struct steps_array *array : {&in, &table, &keys, &values})
        steps_upload(array);
}

static void finish_find(void)
{
    finish();
    steps_free(&keys);
    steps_free(&values);
}

static void find_reference(float *expected)
{
    unsigned *known = (unsigned *)malloc(n * sizeof(unsigned));
    if (!known)
        exit(2);
    for (int i = 0; i < n; i++)
        known[i] = key_of(i);
    std::sort(known, known + n);
    for (int i = 0; i < n; i++) {
        unsigned key = ((unsigned *)in.host)[i];
        expected[i] = std::binary_search(known, known + n, key) ? (float)value_of(key) : -1;
    }
    free(known);
}

static const struct step hash_find_steps[] = {
    {"pairs", launch_find<find_in_pairs, 1>},
    {"pairs_as_words", launch_find<find_in_words, 1>},
    {"arrays", launch_find_in_arrays},
    {"groups", launch_find<find_in_groups, GROUP>},
};
const struct step_family hash_find_family = {
    "hash_find", hash_find_steps, STEPS_COUNT(hash_find_steps), 3 << 19, 5003, 0, prepare_find, finish_find,
    &out, find_reference};

/* ---------------------------------------------------------------------------------------------- in a text */

enum { WORD = 12, LETTERS = 4 }; /* a short alphabet: many places begin right */

struct pattern {
    byte letters[WORD];
};

static struct pattern pattern;

__host__ __device__ static bool is_here(const byte *text, const struct pattern *pattern)
{
    for (int k = 0; k < WORD; k++)
        if (text[k] != pattern->letters[k])
            return false;
    return true;
}

/* Results are counts of every BLOCK places. */
__global__ void text_global(float *out, const byte *text, struct pattern pattern, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int count = __syncthreads_count(i + WORD <= n && is_here(text + i, &pattern));
    if (threadIdx.x == 0)
        out[blockIdx.x] = (float)count;
}

__global__ void text_shared(float *out, const byte *text, struct pattern pattern, int n)
{
    __shared__ byte own[BLOCK + WORD];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    for (int k = t; k < BLOCK + WORD && i - t + k < n; k += BLOCK)
        own[k] = text[i - t + k];
    __syncthreads();
    int count = __syncthreads_count(i + WORD <= n && is_here(own + t, &pattern));
    if (t == 0)
        out[blockIdx.x] = (float)count;
}

__device__ static unsigned letters4(const struct pattern *pattern, int k)
{
    return pattern->letters[k] | pattern->letters[k + 1] << 8 | pattern->letters[k + 2] << 16 |
           (unsigned)pattern->letters[k + 3] << 24;
}

/* Four letters in one comparison; a thread has four places, which lie in four words. */
__global__ void text_words(float *out, const byte *text, struct pattern pattern, int n)
{
    __shared__ int counts[4];
    int t = threadIdx.x, i = (blockIdx.x * BLOCK + t) * 4, count = 0;
    unsigned words[WORD / 4 + 1];
    for (int k = 0; k < WORD / 4 + 1; k++)
        words[k] = i + 4 * k < n ? ((const unsigned *)text)[i / 4 + k] : 0;
#pragma unroll
    for (int place = 0; place < 4; place++) {
        bool is_same = i + place + WORD <= n;
#pragma unroll
        for (int k = 0; k < WORD / 4; k++)
            is_same &= __funnelshift_r(words[k], words[k + 1], 8 * place) == letters4(&pattern, 4 * k);
        count += is_same;
    }
    if (t < 4)
        counts[t] = 0;
    __syncthreads();
    if (count)
        atomicAdd(&counts[t / (BLOCK / 4)], count);
    __syncthreads();
    if (t < 4 && blockIdx.x * 4 + t < (n + BLOCK - 1) / BLOCK)
        out[blockIdx.x * 4 + t] = (float)counts[t];
}

template <void (*KERNEL)(float *, const byte *, struct pattern, int), int SHARE> static void launch_text(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, (const byte *)in.device, pattern, n);
}

static void prepare_text(int size)
{
    n = size;
    in = steps_array_of<byte>(n);
    byte *text = (byte *)in.host;
    for (int i = 0; i < n; i++)
        text[i] = 'a' + (byte)(steps_value(i, 184) * LETTERS);
    memcpy(pattern.letters, text + n / 2, WORD);
    for (int i = 0; i + WORD <= n; i += 97)
        memcpy(text + i, pattern.letters, WORD);
    steps_upload(&in);
    out = steps_output(steps_blocks(n, BLOCK));
}

static void text_reference(float *expected)
{
    memset(expected, 0, out.count * sizeof(float));
    for (int i = 0; i + WORD <= n; i++)
        expected[i / BLOCK] += is_here((const byte *)in.host + i, &pattern);
}

static const struct step text_search_steps[] = {
    {"bytes", launch_text<text_global, BLOCK>},
    {"shared", launch_text<text_shared, BLOCK>},
    {"words", launch_text<text_words, 4 * BLOCK>},
};
const struct step_family text_search_family = {
    "text_search", text_search_steps, STEPS_COUNT(text_search_steps), 1 << 26, 5003, 0, prepare_text, finish,
    &out, text_reference};
