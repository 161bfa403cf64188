/* lab10.cu - what real code needs next, solved: scan, histogram, compaction, sparse rows, softmax.
 * lab10.h says what each entry point computes. */
#include "lab10.h"

#include <cuda/atomic>

#include "lab/check.h"

constexpr int WARP = 32;
constexpr unsigned ALL = 0xffffffff; /* lanes */

static int blocks_for(long n, int elements_per_block)
{
    return (int)((n + elements_per_block - 1) / elements_per_block);
}

/* =========================================================================================== scan */

/* ---- stage 1, given: each block scans a segment, one block scans the segments' sums, a third kernel adds them ---- */

constexpr int SEGMENT = 1024; /* elements of a block */

/* Hillis and Steele: in each round an element adds the one 1, 2, 4, ... places before it. Two buffers: see handout section 1. */
__global__ void hillis_steele(int *out, const int *in, int *sums, int n)
{
    __shared__ int x[2][SEGMENT];
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t, now = 0;
    x[0][t] = i < n ? in[i] : 0;
    for (int step = 1; step < SEGMENT; step *= 2, now ^= 1) {
        __syncthreads();
        x[now ^ 1][t] = x[now][t] + (t >= step ? x[now][t - step] : 0);
    }
    if (i < n)
        out[i] = x[now][t];
    if (t == SEGMENT - 1)
        sums[blockIdx.x] = x[now][t];
}

/* One block turns the sums of all segments into their prefix sums; `before` carries the sum from round to round. */
__global__ void scan_sums(int *sums, int n)
{
    __shared__ int x[2][SEGMENT];
    int t = threadIdx.x, before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int i = base + t, now = 0;
        x[0][t] = i < n ? sums[i] : 0;
        for (int step = 1; step < SEGMENT; step *= 2, now ^= 1) {
            __syncthreads();
            x[now ^ 1][t] = x[now][t] + (t >= step ? x[now][t - step] : 0);
        }
        if (i < n)
            sums[i] = before + x[now][t];
        __syncthreads();
        before += x[now][SEGMENT - 1];
        __syncthreads();
    }
}

__global__ void add_sums(int *out, const int *sums, int n)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        out[i] += sums[blockIdx.x - 1];
}

void scan_hillis_steele(int *out, const int *in, int n, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    hillis_steele<<<blocks, SEGMENT>>>(out, in, scratch, n);
    scan_sums<<<1, SEGMENT>>>(scratch, blocks);
    add_sums<<<blocks, SEGMENT>>>(out, scratch, n);
    CHECK_LAUNCH();
}

/* ---- stage 2: up and down a tree ---- */

/* One word in 33 stays free: places that are a power of two apart lie in different banks. */
__device__ int place(int i)
{
    return i + i / WARP;
}

__global__ void blelloch(int *out, const int *in, int *sums, int n)
{
    __shared__ int x[SEGMENT + SEGMENT / WARP];
    int t = threadIdx.x, base = blockIdx.x * SEGMENT, own[2];
    for (int k = 0; k < 2; k++) {
        int i = t + k * SEGMENT / 2;
        own[k] = base + i < n ? in[base + i] : 0;
        x[place(i)] = own[k];
    }
    /* Up: the last place of each pair of parts gets the sum of both. The lowest threads work: whole warps drop out. */
    for (int step = 1; step < SEGMENT; step *= 2) {
        __syncthreads();
        if (t < SEGMENT / 2 / step)
            x[place((2 * t + 2) * step - 1)] += x[place((2 * t + 1) * step - 1)];
    }
    if (t == 0) {
        sums[blockIdx.x] = x[place(SEGMENT - 1)];
        x[place(SEGMENT - 1)] = 0;
    }
    /* Down: a place knows what lies before its two parts. That lies before the left one; the right one has the left one's sum
     * before it as well. */
    for (int step = SEGMENT / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < SEGMENT / 2 / step) {
            int left = place((2 * t + 1) * step - 1), right = place((2 * t + 2) * step - 1);
            int before = x[right];
            x[right] = before + x[left];
            x[left] = before;
        }
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        int i = t + k * SEGMENT / 2;
        if (base + i < n)
            out[base + i] = x[place(i)] + own[k];
    }
}

void scan_blelloch(int *out, const int *in, int n, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    blelloch<<<blocks, SEGMENT / 2>>>(out, in, scratch, n);
    scan_sums<<<1, SEGMENT>>>(scratch, blocks);
    add_sums<<<blocks, SEGMENT>>>(out, scratch, n);
    CHECK_LAUNCH();
}

/* ---- stage 3: shuffles, four elements per thread ---- */

/* The sum of all lanes up to this one. */
__device__ int scan_warp(int x)
{
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL, x, step);
        if (threadIdx.x % WARP >= step)
            x += before;
    }
    return x;
}

/* The sum of all threads up to this one, in a block of WARPS warps. */
template <int WARPS> __device__ int scan_block(int x)
{
    __shared__ int of_warp[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    x = scan_warp(x);
    if (lane == WARP - 1)
        of_warp[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int sum = scan_warp(lane < WARPS ? of_warp[lane] : 0);
        if (lane < WARPS)
            of_warp[lane] = sum;
    }
    __syncthreads();
    return warp == 0 ? x : x + of_warp[warp - 1];
}

/* Four neighbours from i on, a multiple of 4; zeros beyond the end. */
__device__ int4 load_four(const int *in, int i, int n)
{
    if (i + 3 < n)
        return *(const int4 *)&in[i];
    int4 x = {0, 0, 0, 0};
    if (i < n)
        x.x = in[i];
    if (i + 1 < n)
        x.y = in[i + 1];
    if (i + 2 < n)
        x.z = in[i + 2];
    return x;
}

__device__ void store_four(int *out, int i, int n, int4 x)
{
    if (i + 3 < n) {
        *(int4 *)&out[i] = x;
        return;
    }
    if (i < n)
        out[i] = x.x;
    if (i + 1 < n)
        out[i + 1] = x.y;
    if (i + 2 < n)
        out[i + 2] = x.z;
}

__device__ int total(int4 x)
{
    return x.x + x.y + (x.z + x.w);
}

/* The prefix sums of four neighbours that follow on `before`. */
__device__ int4 prefix_of_four(int before, int4 x)
{
    x.x += before;
    x.y += x.x;
    x.z += x.y;
    x.w += x.z;
    return x;
}

/* As scan_sums, with two barriers a round for the scan and two for what is carried on. */
__global__ void scan_sums_by_shuffles(int *sums, int n)
{
    __shared__ int carry;
    int t = threadIdx.x, before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int i = base + t, upto = before + scan_block<SEGMENT / WARP>(i < n ? sums[i] : 0);
        if (i < n)
            sums[i] = upto;
        if (t == SEGMENT - 1)
            carry = upto;
        __syncthreads();
        before = carry;
        __syncthreads();
    }
}

constexpr int FOUR = SEGMENT / 4; /* threads of a block whose threads have four elements each */

__global__ void scan_four(int *out, const int *in, int *sums, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + 4 * t;
    int4 x = load_four(in, i, n);
    int upto = scan_block<FOUR / WARP>(total(x));
    store_four(out, i, n, prefix_of_four(upto - total(x), x));
    if (t == FOUR - 1)
        sums[blockIdx.x] = upto;
}

__global__ void add_sums_four(int *out, const int *sums, int n)
{
    int i = blockIdx.x * SEGMENT + 4 * threadIdx.x;
    if (blockIdx.x == 0)
        return;
    int before = sums[blockIdx.x - 1];
    int4 x = load_four(out, i, n);
    store_four(out, i, n, make_int4(x.x + before, x.y + before, x.z + before, x.w + before));
}

void scan_shuffles(int *out, const int *in, int n, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    scan_four<<<blocks, FOUR>>>(out, in, scratch, n);
    scan_sums_by_shuffles<<<1, SEGMENT>>>(scratch, blocks);
    add_sums_four<<<blocks, FOUR>>>(out, scratch, n);
    CHECK_LAUNCH();
}

/* ---- stage 4: a single pass, tiles in a chain ---- */

/* What a tile has published: in the high half of the word how much it knows, in the low half a sum. One atomic word, written and
 * read as a whole: nobody sees the one without the other. It holds all that another tile needs, so that relaxed accesses are
 * enough: no other access has to be ordered before or after them. */
enum { NOTHING, OWN_SUM, ALL_UP_TO_HERE };
using atomic_word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

constexpr int TILE_THREADS = 256, CHUNKS = 4; /* a warp has CHUNKS times 32 lanes x 4 elements */
constexpr int CHUNK = 4 * WARP, TILE = TILE_THREADS * 4 * CHUNKS;

__device__ void publish(unsigned long long *words, int tile, unsigned what, int sum)
{
    atomic_word(words[tile]).store((unsigned long long)what << 32 | (unsigned)sum, cuda::memory_order_relaxed);
}

/* Tiles before tile 0 count as known, with the sum 0. */
__device__ unsigned long long published(unsigned long long *words, int tile)
{
    return tile >= 0 ? atomic_word(words[tile]).load(cuda::memory_order_relaxed)
                     : (unsigned long long)ALL_UP_TO_HERE << 32;
}

/* The sum of all tiles before this one, from the tile directly before it, which hands on the sum of all up to itself. It was drawn
 * before: its block runs, and will publish. One lane waits; all lanes of the warp get the sum. */
struct chain {
    static __device__ int sum_before(unsigned long long *words, int tile, int own)
    {
        int before = 0;
        if (threadIdx.x % WARP == 0) {
            unsigned long long word;
            do
                word = published(words, tile - 1);
            while (word >> 32 == NOTHING);
            before = (int)word;
            publish(words, tile, ALL_UP_TO_HERE, before + own);
        }
        return __shfl_sync(ALL, before, 0);
    }
};

/* What lies before each warp of the tile. Every thread must call it; sum is its warp's. */
template <class Tiles> __device__ int before_warp(int sum, unsigned long long *words, int tile)
{
    constexpr int WARPS = TILE_THREADS / WARP;
    __shared__ int of_warp[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int own = lane < WARPS ? of_warp[lane] : 0, upto = scan_warp(own);
        int before = Tiles::sum_before(words, tile, __shfl_sync(ALL, upto, WARP - 1));
        if (lane < WARPS)
            of_warp[lane] = before + upto - own;
    }
    __syncthreads();
    return of_warp[warp];
}

/* Tiles are drawn, not taken by blockIdx: a block that waits knows that those it waits for have begun. */
__device__ int draw_tile(unsigned *drawn)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(drawn, 1);
    __syncthreads();
    return tile;
}

/* Tiles: how a tile gets to know what lies before it. */
template <class Tiles>
__global__ void __launch_bounds__(TILE_THREADS)
    scan_tiles(int *out, const int *in, int n, unsigned *drawn, unsigned long long *words)
{
    int tile = draw_tile(drawn), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int first = tile * TILE + warp * CHUNKS * CHUNK + 4 * lane, sum = 0;
    int4 x[CHUNKS];
    int before[CHUNKS]; /* in the warp, before the lane's part of a chunk */
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
        x[c] = load_four(in, first + c * CHUNK, n);
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        int upto = scan_warp(total(x[c]));
        before[c] = sum + upto - total(x[c]);
        sum += __shfl_sync(ALL, upto, WARP - 1);
    }
    int offset = before_warp<Tiles>(sum, words, tile);
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
        store_four(out, first + c * CHUNK, n, prefix_of_four(offset + before[c], x[c]));
}

/* Words and counter are 0 before every call: nothing is published, no tile is drawn. */
template <class Tiles> static void scan_in_one_pass(int *out, const int *in, int n, int *scratch)
{
    int tiles = blocks_for(n, TILE);
    unsigned long long *words = (unsigned long long *)scratch;
    CHECK(cudaMemsetAsync(words, 0, (tiles + 1) * sizeof *words));
    scan_tiles<Tiles><<<tiles, TILE_THREADS>>>(out, in, n, (unsigned *)(words + tiles), words);
    CHECK_LAUNCH();
}

void scan_chained(int *out, const int *in, int n, int *scratch)
{
    scan_in_one_pass<chain>(out, in, n, scratch);
}

/* ---- stage 5: look back ---- */

/* The sum of all tiles before this one, by one warp: 32 tiles at a time, the nearest first. A tile that knows the sum of all up to
 * itself ends the search. The tile's own sum is published first: those behind it need not wait until the search is over. */
struct look_back {
    static __device__ int sum_before(unsigned long long *words, int tile, int own)
    {
        int lane = threadIdx.x % WARP, before = 0;
        unsigned ends = 0;
        if (lane == 0)
            publish(words, tile, OWN_SUM, own);
        for (int nearest = tile - 1; ends == 0; nearest -= WARP) {
            int other = nearest - lane;
            unsigned long long word;
            do
                word = published(words, other);
            while (__any_sync(ALL, word >> 32 == NOTHING));
            ends = __ballot_sync(ALL, word >> 32 == ALL_UP_TO_HERE);
            int last = ends ? __ffs(ends) - 1 : WARP - 1;
            int sum = lane <= last ? (int)word : 0;
            for (int half = WARP / 2; half > 0; half /= 2)
                sum += __shfl_xor_sync(ALL, sum, half);
            before += sum;
        }
        if (lane == 0)
            publish(words, tile, ALL_UP_TO_HERE, before + own);
        return before;
    }
};

void scan_look_back(int *out, const int *in, int n, int *scratch)
{
    scan_in_one_pass<look_back>(out, in, n, scratch);
}

/* =========================================================================================== histogram */

constexpr int BINS = 256, COUNTERS = 256; /* number of values of a byte; threads of a block that counts */

/* ---- stage 6, given: an atomic in global memory for each byte ---- */

__global__ void count_global(unsigned *counts, const unsigned char *in, int n)
{
    int i = blockIdx.x * COUNTERS + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i]], 1);
}

void histogram_global(unsigned *counts, const unsigned char *in, int n)
{
    CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    count_global<<<blocks_for(n, COUNTERS), COUNTERS>>>(counts, in, n);
    CHECK_LAUNCH();
}

/* ---- stage 7: a copy of the bins in each block's shared memory ---- */

/* As many blocks as the GPU holds at once, or fewer where there is less to do. */
template <typename Kernel> static int few_blocks(Kernel kernel, int n, int elements_per_block)
{
    int device, sms, blocks_per_sm;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, kernel, COUNTERS, 0));
    int blocks = blocks_for(n, elements_per_block);
    return blocks < blocks_per_sm * sms ? blocks : blocks_per_sm * sms;
}

__global__ void count_shared(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned bins[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += COUNTERS)
        bins[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * COUNTERS + threadIdx.x; i < n; i += gridDim.x * COUNTERS)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += COUNTERS)
        atomicAdd(&counts[bin], bins[bin]);
}

void histogram_shared(unsigned *counts, const unsigned char *in, int n)
{
    CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    count_shared<<<few_blocks(count_shared, n, COUNTERS), COUNTERS>>>(counts, in, n);
    CHECK_LAUNCH();
}

/* ---- stage 8: a copy for each warp, sixteen bytes per load ---- */

constexpr int COPIES = COUNTERS / WARP;

__device__ void count_word(unsigned *bins, unsigned word)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[word >> 8 * byte & 255], 1);
}

__global__ void count_per_warp(unsigned *counts, const unsigned char *in, int n)
{
    __shared__ unsigned bins[COPIES][BINS];
    int t = threadIdx.x, thread = blockIdx.x * COUNTERS + t, threads = gridDim.x * COUNTERS;
    unsigned *own = bins[t / WARP];
    for (int i = t; i < COPIES * BINS; i += COUNTERS)
        bins[0][i] = 0;
    __syncthreads();
    for (int i = thread; i < n / 16; i += threads) {
        uint4 words = ((const uint4 *)in)[i];
        count_word(own, words.x);
        count_word(own, words.y);
        count_word(own, words.z);
        count_word(own, words.w);
    }
    if (thread < n % 16)
        atomicAdd(&own[in[n - 1 - thread]], 1);
    __syncthreads();
    for (int bin = t; bin < BINS; bin += COUNTERS) {
        unsigned sum = 0;
        for (int copy = 0; copy < COPIES; copy++)
            sum += bins[copy][bin];
        atomicAdd(&counts[bin], sum);
    }
}

void histogram_per_warp(unsigned *counts, const unsigned char *in, int n)
{
    CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    count_per_warp<<<few_blocks(count_per_warp, n, 16 * COUNTERS), COUNTERS>>>(counts, in, n);
    CHECK_LAUNCH();
}

/* =========================================================================================== compaction */

/* ---- stage 9, given: flags, their prefix sums, and a third pass that moves the elements ---- */

__global__ void set_flags(int *flags, const int *in, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n)
        flags[i] = in[i] < limit;
}

/* places[i]: how many elements are kept up to and with element i. */
__global__ void move_kept(int *out, int *count, const int *in, const int *places, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && in[i] < limit)
        out[places[i] - 1] = in[i];
    if (i == n - 1)
        *count = places[i];
}

void compact_flags(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT), *places = scratch, *sums = scratch + n;
    set_flags<<<blocks, SEGMENT>>>(places, in, n, limit);
    hillis_steele<<<blocks, SEGMENT>>>(places, places, sums, n);
    scan_sums<<<1, SEGMENT>>>(sums, blocks);
    add_sums<<<blocks, SEGMENT>>>(places, sums, n);
    move_kept<<<blocks, SEGMENT>>>(out, count, in, places, n, limit);
    CHECK_LAUNCH();
}

/* ---- stage 10: the flags stay in registers ---- */

__device__ int kept(int4 x, int limit)
{
    return (x.x < limit) + (x.y < limit) + (x.z < limit) + (x.w < limit);
}

/* Four neighbours, as load_four; beyond the end are elements that nobody keeps. */
__device__ int4 load_candidates(const int *in, int i, int n, int limit)
{
    int4 x = load_four(in, i, n);
    if (i >= n)
        x.x = limit;
    if (i + 1 >= n)
        x.y = limit;
    if (i + 2 >= n)
        x.z = limit;
    if (i + 3 >= n)
        x.w = limit;
    return x;
}

/* How many each segment keeps. */
__global__ void count_kept(int *sums, const int *in, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + 4 * threadIdx.x;
    int upto = scan_block<FOUR / WARP>(kept(load_candidates(in, i, n, limit), limit));
    if (threadIdx.x == FOUR - 1)
        sums[blockIdx.x] = upto;
}

/* Reads the elements once more instead of places that somebody wrote. The kept ones gather in shared memory: a warp's stores
 * then go to neighbours. */
__global__ void move_segments(int *out, int *count, const int *in, const int *sums, int n, int limit)
{
    __shared__ int gathered[SEGMENT];
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + 4 * t;
    int begin = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0, end = sums[blockIdx.x];
    int4 x = load_candidates(in, i, n, limit);
    int place = scan_block<FOUR / WARP>(kept(x, limit)) - kept(x, limit);
    if (x.x < limit)
        gathered[place++] = x.x;
    if (x.y < limit)
        gathered[place++] = x.y;
    if (x.z < limit)
        gathered[place++] = x.z;
    if (x.w < limit)
        gathered[place++] = x.w;
    __syncthreads();
    for (int k = t; k < end - begin; k += FOUR)
        out[begin + k] = gathered[k];
    if (t == 0 && blockIdx.x == gridDim.x - 1)
        *count = end;
}

void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = blocks_for(n, SEGMENT);
    count_kept<<<blocks, FOUR>>>(scratch, in, n, limit);
    scan_sums_by_shuffles<<<1, SEGMENT>>>(scratch, blocks);
    move_segments<<<blocks, FOUR>>>(out, count, in, scratch, n, limit);
    CHECK_LAUNCH();
}

/* =========================================================================================== sparse rows */

constexpr int ROW_THREADS = 256;

/* ---- stage 11, given: a thread per row ---- */

__global__ void thread_per_row(float *y, const int *starts, const int *columns, const float *values,
                               const float *x, int rows)
{
    int row = blockIdx.x * ROW_THREADS + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

void spmv_thread(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    thread_per_row<<<blocks_for(rows, ROW_THREADS), ROW_THREADS>>>(y, starts, columns, values, x, rows);
    CHECK_LAUNCH();
}

/* ---- stage 12: a warp per row ---- */

/* Lanes read neighbouring entries, and a long row is the work of 32 lanes instead of one. */
__global__ void warp_per_row(float *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ columns,
                             const float *__restrict__ values, const float *__restrict__ x, int rows)
{
    int row = blockIdx.x * (ROW_THREADS / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return; /* the whole warp */
    float sum = 0;
    for (int i = starts[row] + lane, end = starts[row + 1]; i < end; i += WARP)
        sum += values[i] * x[columns[i]];
    for (int half = WARP / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(ALL, sum, half);
    if (lane == 0)
        y[row] = sum;
}

void spmv_warp(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    warp_per_row<<<blocks_for(rows, ROW_THREADS / WARP), ROW_THREADS>>>(y, starts, columns, values, x, rows);
    CHECK_LAUNCH();
}

/* =========================================================================================== softmax */

constexpr int SOFTMAX_THREADS = 256; /* threads of a block */

/* ---- stage 13, given: a block per row, three passes over it ---- */

struct larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct added {
    __device__ float operator()(float a, float b) const { return a + b; }
};

/* A reduction by a tree in shared memory; all threads get the result. */
template <class OP> __device__ float over_block(float x, OP op)
{
    __shared__ float part[SOFTMAX_THREADS];
    int t = threadIdx.x;
    __syncthreads();
    part[t] = x;
    for (int half = SOFTMAX_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] = op(part[t], part[t + half]);
    }
    __syncthreads();
    return part[0];
}

/* Subtracts the largest element first, so exp() is at most 1. */
__global__ void three_passes(float *out, const float *in, int width)
{
    in += (size_t)blockIdx.x * width;
    out += (size_t)blockIdx.x * width;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        most = fmaxf(most, in[i]);
    most = over_block(most, larger());
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        sum += expf(in[i] - most);
    sum = over_block(sum, added());
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        out[i] = expf(in[i] - most) / sum;
}

void softmax_three_passes(float *out, const float *in, int width, int rows)
{
    three_passes<<<rows, SOFTMAX_THREADS>>>(out, in, width);
    CHECK_LAUNCH();
}

/* ---- stage 14: maximum and sum in one pass ---- */

/* Where a larger element comes, what was added up until then shrinks. */
__global__ void online(float *out, const float *in, int width)
{
    in += (size_t)blockIdx.x * width;
    out += (size_t)blockIdx.x * width;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS) {
        float x = in[i], next = fmaxf(most, x);
        sum = sum * expf(most - next) + expf(x - next);
        most = next;
    }
    float all = over_block(most, larger());
    sum = over_block(sum * expf(most - all), added()); /* threads without elements: 0 times exp(-infinity) */
    for (int i = threadIdx.x; i < width; i += SOFTMAX_THREADS)
        out[i] = expf(in[i] - all) / sum;
}

void softmax_online(float *out, const float *in, int width, int rows)
{
    online<<<rows, SOFTMAX_THREADS>>>(out, in, width);
    CHECK_LAUNCH();
}

/* ---- stage 15: a warp per row, float4, the row in registers ---- */

constexpr int EACH = 2; /* float4 of a lane: rows of up to 256 elements fit */
constexpr int MOST_IN_REGISTERS = EACH * 4 * WARP;

template <class OP> __device__ float over_warp(float x, OP op)
{
    for (int half = WARP / 2; half > 0; half /= 2)
        x = op(x, __shfl_xor_sync(ALL, x, half));
    return x;
}

/* Rows whose width is a multiple of 4, at most MOST_IN_REGISTERS. What lies beyond the row is -infinity, and its exp() 0. */
__global__ void rows_in_registers(float4 *out, const float4 *in, int quads, int rows)
{
    int row = blockIdx.x * (SOFTMAX_THREADS / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return; /* the whole warp */
    float4 x[EACH];
    float most = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = k * WARP + lane;
        x[k] = i < quads ? in[(size_t)row * quads + i]
                         : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        most = fmaxf(most, fmaxf(fmaxf(x[k].x, x[k].y), fmaxf(x[k].z, x[k].w)));
    }
    most = over_warp(most, larger());
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        x[k] = make_float4(expf(x[k].x - most), expf(x[k].y - most), expf(x[k].z - most), expf(x[k].w - most));
        sum += x[k].x + x[k].y + (x[k].z + x[k].w);
    }
    float factor = 1 / over_warp(sum, added());
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = k * WARP + lane;
        if (i < quads)
            out[(size_t)row * quads + i] =
                make_float4(x[k].x * factor, x[k].y * factor, x[k].z * factor, x[k].w * factor);
    }
}

/* Rows of any width. */
__global__ void rows_in_memory(float *out, const float *in, int width, int rows)
{
    int row = blockIdx.x * (SOFTMAX_THREADS / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    in += (size_t)row * width;
    out += (size_t)row * width;
    float most = -INFINITY, sum = 0;
    for (int i = lane; i < width; i += WARP)
        most = fmaxf(most, in[i]);
    most = over_warp(most, larger());
    for (int i = lane; i < width; i += WARP)
        sum += expf(in[i] - most);
    float factor = 1 / over_warp(sum, added());
    for (int i = lane; i < width; i += WARP)
        out[i] = expf(in[i] - most) * factor;
}

void softmax_registers(float *out, const float *in, int width, int rows)
{
    int blocks = blocks_for(rows, SOFTMAX_THREADS / WARP);
    if (width % 4 == 0 && width <= MOST_IN_REGISTERS)
        rows_in_registers<<<blocks, SOFTMAX_THREADS>>>((float4 *)out, (const float4 *)in, width / 4, rows);
    else
        rows_in_memory<<<blocks, SOFTMAX_THREADS>>>(out, in, width, rows);
    CHECK_LAUNCH();
}
