/* histograms.cu - how often each of 256 values occurs in n bytes: bins in global memory, in shared memory,
 * a copy per warp, counters of each thread's own. Once all values are as frequent, once half of the bytes
 * are the same. Counts are whole numbers: seen as floats, which is how they are compared, equal bits are
 * equal values. */
#include "steps.h"

#include <cstring>

enum { BINS = 256, BLOCK = 256, WARP = 32, WARPS = BLOCK / WARP, GRID = 132 * 8 };

static int n;
static struct steps_array in, out; /* four bytes to an element of in */

/* ------------------------------------------------------------------------------------------ global memory */

__global__ void count_global(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i]], 1);
}

/* Lanes with the same value elect one that adds for all of them. */
__global__ void count_matched(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i >= n)
        return;
    unsigned same = __match_any_sync(active, in[i]);
    if (threadIdx.x % WARP == __ffs(same) - 1)
        atomicAdd(&counts[in[i]], __popc(same));
}

/* ------------------------------------------------------------------------------------------ shared memory */

__device__ static void clear(unsigned *bins, int count)
{
    for (int i = threadIdx.x; i < count; i += BLOCK)
        bins[i] = 0;
    __syncthreads();
}

/* A bin per thread is added to the result. */
__device__ static void add_copies(unsigned *counts, const unsigned *bins, int copies)
{
    unsigned sum = 0;
    __syncthreads();
    for (int copy = 0; copy < copies; copy++)
        sum += bins[copy * BINS + threadIdx.x];
    atomicAdd(&counts[threadIdx.x], sum);
}

__device__ static void count_four(unsigned *bins, unsigned word)
{
    for (int k = 0; k < 4; k++)
        atomicAdd(&bins[word >> 8 * k & 255], 1);
}

__global__ void count_shared(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned bins[BINS];
    clear(bins, BINS);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&bins[in[i]], 1);
    add_copies(counts, bins, 1);
}

__global__ void count_words(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned bins[BINS];
    clear(bins, BINS);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += gridDim.x * BLOCK)
        count_four(bins, ((const unsigned *)in)[i]);
    add_copies(counts, bins, 1);
}

__global__ void count_copies(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned bins[WARPS * BINS];
    clear(bins, WARPS * BINS);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += gridDim.x * BLOCK)
        count_four(bins + threadIdx.x / WARP * BINS, ((const unsigned *)in)[i]);
    add_copies(counts, bins, WARPS);
}

/* ------------------------------------------------------------------------------------ a thread's own bins */

enum { OWNERS = 128, WORDS = 63, ROW = OWNERS / 4 }; /* a thread counts 252 bytes, which a byte can hold */

/* A byte per bin and thread, without atomics; at the end a thread adds up two rows of them. */
__global__ void count_private(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned rows[BINS * ROW];
    unsigned char *own = (unsigned char *)rows + threadIdx.x;
    int t = threadIdx.x, base = blockIdx.x * OWNERS * WORDS + t;
    for (int i = t; i < BINS * ROW; i += OWNERS)
        rows[i] = 0;
    __syncthreads();
    for (int k = 0; k < WORDS && base + k * OWNERS < n / 4; k++) {
        unsigned word = ((const unsigned *)in)[base + k * OWNERS];
        for (int byte = 0; byte < 4; byte++)
            own[(word >> 8 * byte & 255) * OWNERS]++;
    }
    __syncthreads();
    for (int bin = t; bin < BINS; bin += OWNERS) {
        unsigned sum = 0;
        for (int k = 0; k < ROW; k++) {
            unsigned four = rows[bin * ROW + (k + t) % ROW]; /* lanes begin in different banks */
            sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
        }
        atomicAdd(&counts[bin], sum);
    }
}

/* ------------------------------------------------------------------------------------------- the families */

template <void (*COUNT)(unsigned *, const unsigned char *, int)>
static void launch(unsigned blocks, unsigned threads)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, BINS * sizeof(unsigned)));
    COUNT<<<blocks, threads>>>((unsigned *)out.device, (const unsigned char *)in.device, n);
}

template <void (*COUNT)(unsigned *, const unsigned char *, int)> static void launch_each(void)
{
    launch<COUNT>(steps_blocks(n, BLOCK), BLOCK);
}

template <void (*COUNT)(unsigned *, const unsigned char *, int)> static void launch_few(void)
{
    launch<COUNT>(GRID, BLOCK);
}

static void launch_private(void)
{
    launch<count_private>(steps_blocks(n, OWNERS * WORDS * 4), OWNERS);
}

/* Of 256 bytes, SAME have the value 77. */
template <int SAME> static void prepare(int size)
{
    n = size;
    in = steps_input(steps_blocks(n, 4), 0);
    for (int i = 0; i < n; i++)
        ((unsigned char *)in.host)[i] =
            (unsigned char)(steps_value(i, 21) * 256 < SAME ? 77 : steps_value(i, 22) * 256);
    steps_upload(&in);
    out = steps_output(BINS);
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

static void reference(float *expected)
{
    unsigned counts[BINS] = {};
    for (int i = 0; i < n; i++)
        counts[((const unsigned char *)in.host)[i]]++;
    memcpy(expected, counts, sizeof counts);
}

static const struct step steps[] = {
    {"global", launch_each<count_global>},   {"matched", launch_each<count_matched>},
    {"shared", launch_few<count_shared>},    {"shared_words", launch_few<count_words>, 4},
    {"copies", launch_few<count_copies>, 4}, {"private", launch_private, 4},
};
const struct step_family histogram_uniform_family = {
    "histogram_uniform", steps, STEPS_COUNT(steps), 1 << 25, 1000003, 0, prepare<0>, finish, &out, reference};
const struct step_family histogram_skewed_family = {
    "histogram_skewed", steps, STEPS_COUNT(steps), 1 << 25, 1000003, 0, prepare<128>, finish, &out,
    reference};
