/* lab1.cu - pi from random points, in five steps and a bonus: solved.
 * Every stage counts the same kind of points and has an exact right answer; what changes is how hits are summed, where
 * generators live, and which generator it is. Comments say why, not what. */
#include <curand_kernel.h>

#include "lab/check.h"
#include "lab1.h"

/* ------------------------------------------------------------------------------------------- given, for all stages */

/* With an explicit fused multiply-add every compiler counts a point on the rim in the same way. */
__device__ bool is_inside(double x, double y)
{
    return fma(x, x, y * y) <= 1;
}

__device__ bool is_inside(float x, float y)
{
    return fmaf(x, x, y * y) <= 1;
}

/* Draws the next point of a thread's sequence, x first, both in [-1, 1]. */
__device__ bool hit(curandState *state)
{
    double x = 2 * curand_uniform_double(state) - 1;
    double y = 2 * curand_uniform_double(state) - 1;
    return is_inside(x, y);
}

__device__ unsigned thread_id(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ------------------------------------------------------------------------------------------- per_hit: given */

__global__ void count_per_hit(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    for (int i = 0; i < points; i++)
        if (hit(&state))
            atomicAdd(inside, 1ull);
}

void pi_per_hit(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_per_hit<<<blocks, threads>>>(inside, points, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- per_thread */

__device__ unsigned long long counter;
double pi_on_host;

/* Blocks of one grid run in any order, so none of them can do this for the others: it takes a kernel of its own. */
__global__ void reset_counter(void)
{
    counter = 0;
}

/* 32 bits are enough for one thread's hits, and cheaper; the sum of all threads may need 64. */
__device__ unsigned count_hits(curandState *state, int points)
{
    unsigned hits = 0;
    for (int i = 0; i < points; i++)
        hits += hit(state);
    return hits;
}

__global__ void count_per_thread(int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    atomicAdd(&counter, (unsigned long long)count_hits(&state, points));
}

void pi_per_thread(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    reset_counter<<<1, 1>>>();
    CHECK_LAUNCH();
    count_per_thread<<<blocks, threads>>>(points, seed);
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbolAsync(inside, counter, sizeof counter, 0, cudaMemcpyDeviceToDevice));
    /* Without Async: the host waits here until the count has arrived. */
    unsigned long long hits;
    CHECK(cudaMemcpyFromSymbol(&hits, counter, sizeof hits));
    pi_on_host = 4.0 * (double)hits / ((double)blocks * threads * points);
}

/* ------------------------------------------------------------------------------------------- per_block */

constexpr unsigned MAX_THREADS = 1024;

/* Halves the number of values in each round. An odd one in the middle waits for the next round, so that any block size
 * works. Barriers stand outside the branch: all threads must reach them. The last one is for whoever calls this twice: no
 * thread writes part[] again before all have read the sum. */
__device__ unsigned long long block_sum(unsigned long long value)
{
    __shared__ unsigned long long part[MAX_THREADS];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned n = blockDim.x; n > 1; n = (n + 1) / 2) {
        if (threadIdx.x < n / 2)
            part[threadIdx.x] += part[threadIdx.x + (n + 1) / 2];
        __syncthreads();
    }
    unsigned long long sum = part[0];
    __syncthreads();
    return sum;
}

__device__ void add_block_sum(unsigned long long *inside, unsigned long long value)
{
    unsigned long long sum = block_sum(value);
    if (threadIdx.x == 0)
        atomicAdd(inside, sum);
}

__global__ void count_per_block(unsigned long long *inside, int points, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    add_block_sum(inside, count_hits(&state, points));
}

void pi_per_block(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_per_block<<<blocks, threads>>>(inside, points, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- saved */

/* curand_init changes a state thousands of times before it is done: in registers, not in memory. */
__global__ void init_states(curandState *states, unsigned long long seed)
{
    curandState state;
    curand_init(seed, thread_id(), 0, &state);
    states[thread_id()] = state;
}

/* A local copy may stay in registers whatever else the kernel writes; states[] is read once and written once. */
__global__ void count_batch(unsigned long long *inside, curandState *states, int points)
{
    curandState state = states[thread_id()];
    unsigned hits = count_hits(&state, points);
    states[thread_id()] = state;
    add_block_sum(inside, hits);
}

/* cudaFree waits until the device has done with the memory. */
void pi_saved(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    curandState *states;
    CHECK(cudaMalloc(&states, (size_t)blocks * threads * sizeof *states));
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    init_states<<<blocks, threads>>>(states, seed);
    CHECK_LAUNCH();
    for (int batch = 0; batch < 2; batch++) {
        count_batch<<<blocks, threads>>>(inside, states, points / 2);
        CHECK_LAUNCH();
    }
    CHECK(cudaFree(states));
}

/* ------------------------------------------------------------------------------------------- fast */

constexpr int FAST_THREADS = 256;

/* A word is a point: the middle of a cell in a grid of 2^16 by 2^16 over a quarter of the circle. */
__device__ unsigned is_hit(unsigned word)
{
    return is_inside(((word >> 16) + 0.5f) / 65536, ((word & 0xffff) + 0.5f) / 65536);
}

/* Each thread counts a contiguous range of Philox's output blocks, four points each, with a generator that starts where the
 * range begins. 32 bits are enough for the hits of one thread. */
__global__ void count_fast(unsigned long long *inside, unsigned long long total, unsigned long long seed)
{
    unsigned long long quads = (total + 3) / 4, workers = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long share = (quads + workers - 1) / workers; /* rounded up: the last workers get less or nothing */
    unsigned long long first = min(quads, thread_id() * share), last = min(quads, first + share);

    curandStatePhilox4_32_10_t state;
    curand_init(seed, 0, 4 * first, &state);
    uint4 word;
    unsigned hits = 0;
    for (unsigned left = (unsigned)(last - first); left > 0; left--) {
        word = curand4(&state);
        hits += is_hit(word.x) + is_hit(word.y) + is_hit(word.z) + is_hit(word.w);
    }

    /* Of the very last block only total % 4 points count, unless that is 0: the others are taken back. */
    unsigned rest = total % 4;
    if (rest > 0 && first < last && last == quads)
        hits -= is_hit(word.w) + (rest < 3 ? is_hit(word.z) : 0) + (rest < 2 ? is_hit(word.y) : 0);
    add_block_sum(inside, hits);
}

/* As many blocks of `kernel` as the device holds at a time: all of them start at once and end together. Fewer if there are
 * not four points for each thread. */
static int fitting_grid(const void *kernel, unsigned long long total)
{
    int device, processors, blocks;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, FAST_THREADS, 0));
    unsigned long long full = (unsigned long long)processors * blocks, needed = total / 4 / FAST_THREADS + 1;
    return (int)(needed < full ? needed : full);
}

void pi_fast(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    unsigned long long total = (unsigned long long)blocks * threads * points;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_fast<<<fitting_grid((const void *)count_fast, total), FAST_THREADS>>>(inside, total, seed);
    CHECK_LAUNCH();
}

/* ------------------------------------------------------------------------------------------- tuned: bonus */

constexpr int TUNED_BLOCKS_PER_SM = 4;
constexpr unsigned ROUNDS = 10;

/* Philox has no state: output block q is q itself, enciphered in ten rounds. Their keys follow from the seed
 * alone, so the host makes them, once. As a parameter they lie in constant memory, where instructions take
 * operands from directly: that leaves 20 registers free in each thread. */
struct round_keys {
    unsigned x[ROUNDS], y[ROUNDS];
};

static struct round_keys make_keys(unsigned long long seed)
{
    struct round_keys keys;
    for (unsigned i = 0; i < ROUNDS; i++) {
        keys.x[i] = (unsigned)seed + i * PHILOX_W32_0;
        keys.y[i] = (unsigned)(seed >> 32) + i * PHILOX_W32_1;
    }
    return keys;
}

/* A product's two halves are one instruction if the product is written as one. */
__device__ uint4 philox(unsigned low, unsigned high, const round_keys &keys)
{
    uint4 c = make_uint4(low, high, 0, 0);
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned long long a = (unsigned long long)PHILOX_M4x32_0 * c.x;
        unsigned long long b = (unsigned long long)PHILOX_M4x32_1 * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ keys.x[i], (unsigned)b,
                       (unsigned)(a >> 32) ^ c.w ^ keys.y[i], (unsigned)a);
    }
    return c;
}

/* h + 0.5 for half a word h, without a conversion: from 2^23 to 2^24 floats are the whole numbers, and the bits
 * 0x4b00hhhh mean 2^23 + h. One permutation of bytes puts them together (0 to 3 are those of the word, 4 and 5 are
 * 0x00 and 0x4b), and one subtraction, which is exact, takes the 2^23 away and leaves the half. */
__device__ float middle_of(unsigned word, unsigned bytes)
{
    return __uint_as_float(__byte_perm(word, 0x4b00, bytes)) - (0x1p23f - 0.5f);
}

/* 1 if the point is no hit, 0 if it is; the same hits as in the definition, for a scale of 2^16 changes exponents
 * only. Counting takes no comparison and no integer addition, which would wait behind Philox's: a hit has
 * s <= 2^32, and the next float is 2^32 + 2^9. So s * 2^-9 - 2^23, rounded once, is 0 or less for a hit, and 1 or
 * more for any other point. Saturated, which is free, it is 0 or 1. */
__device__ float is_miss(unsigned word)
{
    float x = middle_of(word, 0x5432), y = middle_of(word, 0x5410);
    float s = fmaf(x, x, y * y);
    return __saturatef(fmaf(s, 0x1p-9f, -0x1p23f));
}

/* Blocks whose numbers have the same upper half: only the lower one changes in the loop, so the compiler takes
 * two of the first four products out of it. Unrolled, four independent chains of rounds overlap. */
__device__ unsigned count_quads(unsigned low, unsigned high, unsigned quads, const round_keys &keys)
{
    float misses = 0;
#pragma unroll 4
    for (unsigned i = 0; i < quads; i++) {
        uint4 word = philox(low + i, high, keys);
        misses += is_miss(word.x);
        misses += is_miss(word.y);
        misses += is_miss(word.z);
        misses += is_miss(word.w);
    }
    return 4 * quads - (unsigned)misses;
}

/* Cuts a range in pieces: a float counts up to 2^24, and the upper half of the number has to stay. All threads
 * cut at the same distance from their start; at multiples of it, those of a warp would wait for each other. */
__device__ unsigned long long count_range(unsigned long long first, unsigned long long last, const round_keys &keys)
{
    const unsigned long long piece = 1 << 22;
    unsigned long long hits = 0;
    while (first < last) {
        unsigned long long wrap = (first | 0xffffffff) + 1, stop = min(min(last, first + piece), wrap);
        hits += count_quads((unsigned)first, (unsigned)(first >> 32), (unsigned)(stop - first), keys);
        first = stop;
    }
    return hits;
}

/* The first points of a block, fewer than four. */
__device__ unsigned count_rest(unsigned long long quad, unsigned points, const round_keys &keys)
{
    uint4 word = philox((unsigned)quad, (unsigned)(quad >> 32), keys);
    unsigned hits = 0;
    hits += points > 0 && is_hit(word.x);
    hits += points > 1 && is_hit(word.y);
    hits += points > 2 && is_hit(word.z);
    return hits;
}

/* With four blocks on a multiprocessor, a thread may have 64 registers: room for the four chains. Without this
 * bound the compiler keeps to 32, for more threads, and chains overlap less. */
__global__ void __launch_bounds__(FAST_THREADS, TUNED_BLOCKS_PER_SM)
count_tuned(unsigned long long *inside, unsigned long long total, const __grid_constant__ round_keys keys)
{
    unsigned long long quads = total / 4, workers = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long share = (quads + workers - 1) / workers; /* rounded up: the last workers get less or nothing */
    unsigned long long first = min(quads, thread_id() * share);
    unsigned long long hits = count_range(first, min(quads, first + share), keys);
    if (thread_id() == 0)
        hits += count_rest(quads, total % 4, keys);
    add_block_sum(inside, hits);
}

void pi_tuned(unsigned long long *inside, int blocks, int threads, int points, unsigned long long seed)
{
    unsigned long long total = (unsigned long long)blocks * threads * points;
    CHECK(cudaMemsetAsync(inside, 0, sizeof *inside));
    count_tuned<<<fitting_grid((const void *)count_tuned, total), FAST_THREADS>>>(inside, total, make_keys(seed));
    CHECK_LAUNCH();
}
