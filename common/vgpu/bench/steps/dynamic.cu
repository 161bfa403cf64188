/* dynamic.cu - tables that are filled row by row: the shortest ways between all pairs, and how many letters
 * two words differ by (Levenshtein).
 * A row follows from the one before: where that is kept, and who fills it. */
#include "steps.h"

#include <algorithm>

typedef unsigned char byte;

enum { BLOCK = 256, LANES = 32 };

static int n;
static struct steps_array in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out})
        steps_free(array);
}

/* ------------------------------------------------------------------------------------------ shortest ways */

enum { STOPS = 8 }; /* of all that Floyd and Warshall would try; an even number of buffers */

/* From everywhere to everywhere, also by way of `stop`. */
__global__ void shorten(float *to, const float *from, int stop, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        to[y * n + x] = fminf(from[y * n + x], from[y * n + stop] + from[stop * n + x]);
}

/* The way to the stop is the same for a whole row. */
__global__ void shorten_row(float *to, const float *from, int stop, int n)
{
    __shared__ float there;
    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;
    if (threadIdx.x == 0)
        there = from[y * n + stop];
    __syncthreads();
    if (x < n)
        to[y * n + x] = fminf(from[y * n + x], there + from[stop * n + x]);
}

/* A thread has four rows of a column, and reads the way on from the stop once. */
__global__ void shorten_rows(float *to, const float *from, int stop, int n)
{
    enum { ROWS = 4 };
    int x = blockIdx.x * BLOCK + threadIdx.x, first = blockIdx.y * ROWS;
    if (x >= n)
        return;
    float onward = from[stop * n + x];
#pragma unroll
    for (int y = first; y < first + ROWS; y++)
        if (y < n)
            to[y * n + x] = fminf(from[y * n + x], from[y * n + stop] + onward);
}

__global__ void shorten_vectors(float *to, const float *from, int stop, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (4 * x >= n || y >= n)
        return;
    float4 own = ((const float4 *)(from + y * n))[x], onward = ((const float4 *)(from + stop * n))[x];
    float there = from[y * n + stop];
    ((float4 *)(to + y * n))[x] = make_float4(fminf(own.x, there + onward.x), fminf(own.y, there + onward.y),
                                              fminf(own.z, there + onward.z), fminf(own.w, there + onward.w));
}

/* A block of X x Y threads; a thread has WIDE columns and HIGH rows. */
template <void (*KERNEL)(float *, const float *, int, int), int X, int Y, int WIDE, int HIGH>
static void launch_shorten(void)
{
    float *from = in.device, *to[2] = {other.device, out.device};
    for (int stop = 0; stop < STOPS; stop++) {
        KERNEL<<<dim3(steps_blocks(n, X * WIDE), steps_blocks(n, Y * HIGH)), dim3(X, Y)>>>(to[stop % 2], from,
                                                                                           stop, n);
        from = to[stop % 2];
    }
}

static void prepare_shorten(int size)
{
    n = size;
    in = steps_input((size_t)n * n, 221);
    out = steps_output((size_t)n * n);
    other = steps_output((size_t)n * n);
}

static void shorten_reference(float *expected)
{
    std::copy(in.host, in.host + (size_t)n * n, expected);
    for (int stop = 0; stop < STOPS; stop++)
        for (int y = 0; y < n; y++) {
            float there = expected[y * n + stop];
            for (int x = 0; x < n; x++)
                expected[y * n + x] = std::min(expected[y * n + x], there + expected[stop * n + x]);
        }
}

static const struct step shortest_steps[] = {
    {"square", launch_shorten<shorten, 16, 16, 1, 1>},
    {"wide", launch_shorten<shorten, BLOCK, 1, 1, 1>},
    {"row_in_shared", launch_shorten<shorten_row, BLOCK, 1, 1, 1>},
    {"four_rows", launch_shorten<shorten_rows, BLOCK, 1, 1, 4>},
    {"vectors", launch_shorten<shorten_vectors, 32, 8, 4, 1>, 4},
};
const struct step_family shortest_family = {
    "shortest", shortest_steps, STEPS_COUNT(shortest_steps), 3072, 101, 1e-6, prepare_shorten, finish, &out,
    shorten_reference};

/* -------------------------------------------------------------------------------------- words that differ */

enum { WORD = 32, LETTERS = 6 };

/* n pairs of words of equal length; row[k]: how far the part of `a` until now is from the first k letters of
 * `b`. */
template <class ROW> __host__ __device__ static int differ(const byte *a, const byte *b, ROW row)
{
    for (int k = 0; k <= WORD; k++)
        row[k] = k;
    for (int i = 0; i < WORD; i++) {
        int corner = row[0], letter = a[i];
        row[0] = i + 1;
#pragma unroll 1
        for (int k = 0; k < WORD; k++) {
            int changed = corner + (letter != b[k]),
                missing = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
            corner = row[k + 1];
            row[k + 1] = changed < missing ? changed : missing;
        }
    }
    return row[WORD];
}

/* A row in an array of the thread's own. */
__global__ void differ_local(float *out, const byte *a, const byte *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row[WORD + 1];
    if (i < n)
        out[i] = (float)differ(a + i * WORD, b + i * WORD, row);
}

/* A column of shared memory for each thread. */
struct shared_row {
    int *first;
    __device__ int &operator[](int k) const
    {
        return first[k * BLOCK];
    }
};

__global__ void differ_shared(float *out, const byte *a, const byte *b, int n)
{
    __shared__ int rows[(WORD + 1) * BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = (float)differ(a + i * WORD, b + i * WORD, shared_row{rows + threadIdx.x});
}

/* All of a row and of `b` in registers: the loop along it is rolled out. */
__global__ void differ_registers(float *out, const byte *a, const byte *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row[WORD + 1];
    if (i >= n)
        return;
    unsigned words[WORD / 4];
#pragma unroll
    for (int k = 0; k < WORD / 4; k++)
        words[k] = ((const unsigned *)(b + i * WORD))[k];
#pragma unroll
    for (int k = 0; k <= WORD; k++)
        row[k] = k;
#pragma unroll 1
    for (int y = 0; y < WORD; y++) {
        int corner = row[0];
        unsigned letter = a[i * WORD + y];
        row[0] = y + 1;
#pragma unroll
        for (int k = 0; k < WORD; k++) {
            int changed = corner + (letter != (words[k / 4] >> 8 * (k % 4) & 255));
            corner = row[k + 1];
            row[k + 1] = min(changed, min(row[k], corner) + 1);
        }
    }
    out[i] = (float)row[WORD];
}

/* A warp has a pair, a lane a column: it is a row behind its left neighbour, and takes from it what it
 * needs. */
__global__ void differ_lanes(float *out, const byte *a, const byte *b, int n)
{
    int i = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (i >= n)
        return;
    int own_letter = b[i * WORD + lane], letters = a[i * WORD + lane], own = lane + 1, corner = lane;
    for (int round = 0; round < 2 * WORD - 1; round++) {
        int y = round - lane, letter = __shfl_sync(~0u, letters, y & (LANES - 1)),
            left = __shfl_up_sync(~0u, own, 1);
        left = lane == 0 ? y + 1 : left;
        if (y >= 0 && y < WORD) {
            own = min(corner + (letter != own_letter), min(left, own) + 1);
            corner = left;
        }
    }
    if (lane == LANES - 1)
        out[i] = (float)own;
}

template <void (*KERNEL)(float *, const byte *, const byte *, int), int SHARE> static void launch_differ(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, (const byte *)in.device, (const byte *)other.device,
                                              n);
}

static void prepare_differ(int size)
{
    n = size;
    in = steps_array_of<byte>((size_t)n * WORD);
    other = steps_array_of<byte>((size_t)n * WORD);
    for (int i = 0; i < n * WORD; i++) {
        ((byte *)in.host)[i] = (byte)(steps_value(i, 222) * LETTERS);
        ((byte *)other.host)[i] = (byte)(steps_value(i, 223) * LETTERS);
    }
    steps_upload(&in);
    steps_upload(&other);
    out = steps_output(n);
}

static void differ_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        int row[WORD + 1];
        expected[i] =
            (float)differ((const byte *)in.host + i * WORD, (const byte *)other.host + i * WORD, row);
    }
}

static const struct step edits_steps[] = {
    {"local", launch_differ<differ_local, BLOCK>},
    {"shared", launch_differ<differ_shared, BLOCK>},
    {"registers", launch_differ<differ_registers, BLOCK>},
    {"lanes", launch_differ<differ_lanes, BLOCK / LANES>},
};
const struct step_family edits_family = {
    "edits", edits_steps, STEPS_COUNT(edits_steps), 1 << 18, 1001, 0, prepare_differ, finish, &out,
    differ_reference};
