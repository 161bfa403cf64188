/* matmul_vector.cu - C = A B with float4: one product of n x n floats by tiles of 64 x 64, and n products
 * of 16 x 16. Matrices lie row by row; the large ones are multiples of a tile. */
#include "steps.h"

enum { SMALL = 16 }; /* side of the small ones */

static int n;
static struct steps_array a, b, c;

/* ---------------------------------------------------------------------------------------- a large product */

enum { TILE = 64, DEPTH = 16, COLUMNS = 4, LANES = TILE / COLUMNS };

/* Words only. A thread's results lie LANES apart, so that neighbours read neighbouring words of B's tile. */
__global__ void __launch_bounds__(256) multiply_words(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[TILE][DEPTH], tb[DEPTH][TILE];
    int t = threadIdx.x, tx = t % LANES, ty = t / LANES, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += DEPTH) {
        for (int i = t; i < TILE * DEPTH; i += 256) {
            ta[i / DEPTH][i % DEPTH] = a[(top + i / DEPTH) * n + k + i % DEPTH];
            tb[i / TILE][i % TILE] = b[(k + i / TILE) * n + left + i % TILE];
        }
        __syncthreads();
        for (int i = 0; i < DEPTH; i++)
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    sum[y][x] += ta[ty + y * LANES][i] * tb[i][tx + x * LANES];
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            c[(top + ty + y * LANES) * n + left + tx + x * LANES] = sum[y][x];
}

/* A slice of both tiles, A's transposed: what a thread needs of either is four neighbours. */
template <int PAD> struct both_slices {
    float4 a[DEPTH][(TILE + PAD) / 4], b[DEPTH][TILE / 4];
};

/* What a thread brings from global memory: a tile's slice has 256 float4 of each matrix. */
template <int THREADS> struct load {
    static constexpr int EACH = TILE * DEPTH / 4 / THREADS;
    float4 a[EACH], b[EACH];

    __device__ void fetch(const float *from_a, const float *from_b, int n, int top, int left, int k)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int i = threadIdx.x + e * THREADS;
            a[e] = *(const float4 *)&from_a[(top + i / (DEPTH / 4)) * n + k + i % (DEPTH / 4) * 4];
            b[e] = *(const float4 *)&from_b[(k + i / LANES) * n + left + i % LANES * 4];
        }
    }

    template <int PAD> __device__ void keep(struct both_slices<PAD> &to) const
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int i = threadIdx.x + e * THREADS, row = i / (DEPTH / 4), k = i % (DEPTH / 4) * 4;
            ((float *)to.a[k])[row] = a[e].x;
            ((float *)to.a[k + 1])[row] = a[e].y;
            ((float *)to.a[k + 2])[row] = a[e].z;
            ((float *)to.a[k + 3])[row] = a[e].w;
            to.b[i / LANES][i % LANES] = b[e];
        }
    }
};

__device__ static void add_product(float4 &sum, float factor, float4 x)
{
    sum.x += factor * x.x;
    sum.y += factor * x.y;
    sum.z += factor * x.z;
    sum.w += factor * x.w;
}

template <int ROWS, int PAD>
__device__ static void multiply_slice(float4 *sum, const struct both_slices<PAD> &from)
{
    int tx = threadIdx.x % LANES, ty = threadIdx.x / LANES * (ROWS / 4);
#pragma unroll
    for (int i = 0; i < DEPTH; i++) {
        float4 row = from.b[i][tx];
#pragma unroll
        for (int y = 0; y < ROWS / 4; y++) {
            float4 four = from.a[i][ty + y];
            add_product(sum[4 * y], four.x, row);
            add_product(sum[4 * y + 1], four.y, row);
            add_product(sum[4 * y + 2], four.z, row);
            add_product(sum[4 * y + 3], four.w, row);
        }
    }
}

template <int ROWS> __device__ static void store(float *c, const float4 *sum, int n)
{
    int top = blockIdx.y * TILE + threadIdx.x / LANES * ROWS,
        left = blockIdx.x * TILE + threadIdx.x % LANES * 4;
#pragma unroll
    for (int y = 0; y < ROWS; y++)
        *(float4 *)&c[(top + y) * n + left] = sum[y];
}

/* ROWS x 4 results per thread. */
template <int ROWS, int PAD>
__global__ void __launch_bounds__(TILE / ROWS * LANES)
    multiply_vectors(float *c, const float *a, const float *b, int n)
{
    __shared__ struct both_slices<PAD> slices;
    struct load<TILE / ROWS * LANES> next;
    float4 sum[ROWS] = {};
    for (int k = 0; k < n; k += DEPTH) {
        next.fetch(a, b, n, blockIdx.y * TILE, blockIdx.x * TILE, k);
        next.keep(slices);
        __syncthreads();
        multiply_slice<ROWS>(sum, slices);
        __syncthreads();
    }
    store<ROWS>(c, sum, n);
}

/* The next slice is on its way while this one is multiplied; two buffers, one barrier. */
template <int ROWS, int PAD>
__global__ void __launch_bounds__(TILE / ROWS * LANES)
    multiply_twofold(float *c, const float *a, const float *b, int n)
{
    __shared__ struct both_slices<PAD> slices[2];
    struct load<TILE / ROWS * LANES> next;
    float4 sum[ROWS] = {};
    next.fetch(a, b, n, blockIdx.y * TILE, blockIdx.x * TILE, 0);
    next.keep(slices[0]);
    __syncthreads();
    for (int k = DEPTH, now = 0; k < n; k += DEPTH, now ^= 1) {
        next.fetch(a, b, n, blockIdx.y * TILE, blockIdx.x * TILE, k);
        multiply_slice<ROWS>(sum, slices[now]);
        next.keep(slices[now ^ 1]);
        __syncthreads();
    }
    multiply_slice<ROWS>(sum, slices[(n / DEPTH + 1) % 2]);
    store<ROWS>(c, sum, n);
}

/* ----------------------------------------------------------------------------------------- small products */

enum { AREA = SMALL * SMALL, QUADS = AREA / 4, BLOCK = 256, WARP = 32 };

/* A block has one product, a thread one result. */
__global__ void small_global(float *c, const float *a, const float *b, int)
{
    int x = threadIdx.x % SMALL, y = threadIdx.x / SMALL, base = blockIdx.x * AREA;
    float sum = 0;
    for (int k = 0; k < SMALL; k++)
        sum += a[base + y * SMALL + k] * b[base + k * SMALL + x];
    c[base + y * SMALL + x] = sum;
}

__global__ void small_shared(float *c, const float *a, const float *b, int)
{
    __shared__ float ta[SMALL][SMALL], tb[SMALL][SMALL];
    int x = threadIdx.x % SMALL, y = threadIdx.x / SMALL, i = blockIdx.x * AREA + threadIdx.x;
    ta[y][x] = a[i];
    tb[y][x] = b[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < SMALL; k++)
        sum += ta[y][k] * tb[k][x];
    c[i] = sum;
}

/* A thread has a row of a result, and reads the row of A as it needs it. */
__global__ void small_rows(float *c, const float *a, const float *b, int n)
{
    int thread = blockIdx.x * BLOCK + threadIdx.x, matrix = thread / SMALL;
    if (matrix >= n)
        return;
    const float4 *row = (const float4 *)a + thread * (SMALL / 4), *right = (const float4 *)b + matrix * QUADS;
    float4 sum[SMALL / 4] = {};
#pragma unroll
    for (int k = 0; k < SMALL; k += 4) {
        float4 four = row[k / 4];
#pragma unroll
        for (int x = 0; x < SMALL / 4; x++) {
            add_product(sum[x], four.x, right[k * (SMALL / 4) + x]);
            add_product(sum[x], four.y, right[(k + 1) * (SMALL / 4) + x]);
            add_product(sum[x], four.z, right[(k + 2) * (SMALL / 4) + x]);
            add_product(sum[x], four.w, right[(k + 3) * (SMALL / 4) + x]);
        }
    }
#pragma unroll
    for (int x = 0; x < SMALL / 4; x++)
        ((float4 *)c)[thread * (SMALL / 4) + x] = sum[x];
}

/* A thread has four neighbours of a result; a block has four products. */
__global__ void small_quads(float *c, const float *a, const float *b, int n)
{
    __shared__ float4 ta[BLOCK], tb[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, first = t / QUADS * QUADS;
    if (i < n * QUADS) {
        ta[t] = ((const float4 *)a)[i];
        tb[t] = ((const float4 *)b)[i];
    }
    __syncthreads();
    if (i >= n * QUADS)
        return;
    const float *row = (const float *)&ta[t / 4 * 4];
    float4 sum = {};
    for (int k = 0; k < SMALL; k++)
        add_product(sum, row[k], tb[first + k * 4 + t % 4]);
    ((float4 *)c)[i] = sum;
}

/* A warp has a product, a lane two rows of four results: no barrier but the warp's own. */
__global__ void small_warp(float *c, const float *a, const float *b, int n)
{
    __shared__ float4 ta[BLOCK / WARP][QUADS], tb[BLOCK / WARP][QUADS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, matrix = blockIdx.x * (BLOCK / WARP) + warp;
    if (matrix >= n)
        return;
    for (int i = lane; i < QUADS; i += WARP) {
        ta[warp][i] = ((const float4 *)a)[matrix * QUADS + i];
        tb[warp][i] = ((const float4 *)b)[matrix * QUADS + i];
    }
    __syncwarp();
    const float *upper = (const float *)&ta[warp][lane / 4 * 4], *lower = upper + AREA / 2;
    float4 sum[2] = {};
    for (int k = 0; k < SMALL; k++) {
        add_product(sum[0], upper[k], tb[warp][k * 4 + lane % 4]);
        add_product(sum[1], lower[k], tb[warp][k * 4 + lane % 4]);
    }
    for (int i = 0; i < 2; i++)
        ((float4 *)c)[matrix * QUADS + i * WARP + lane] = sum[i];
}

/* ------------------------------------------------------------------------------------------- the families */

template <void (*MULTIPLY)(float *, const float *, const float *, int), int THREADS>
static void launch_large(void)
{
    MULTIPLY<<<dim3(n / TILE, n / TILE), THREADS>>>(c.device, a.device, b.device, n);
}

template <void (*MULTIPLY)(float *, const float *, const float *, int), int PRODUCTS>
static void launch_small(void)
{
    MULTIPLY<<<steps_blocks(n, PRODUCTS), BLOCK>>>(c.device, a.device, b.device, n);
}

static void prepare(size_t count)
{
    a = steps_input(count, 31);
    b = steps_input(count, 32);
    c = steps_output(count);
}

static void prepare_large(int size)
{
    n = size;
    prepare((size_t)n * n);
}

static void prepare_small(int size)
{
    n = size;
    prepare((size_t)n * AREA);
}

static void finish(void)
{
    for (struct steps_array *array : {&a, &b, &c})
        steps_free(array);
}

static void multiply(float *expected, const float *left, const float *right, int side)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double sum = 0;
            for (int k = 0; k < side; k++)
                sum += (double)left[y * side + k] * right[k * side + x];
            expected[y * side + x] = (float)sum;
        }
}

static void large_reference(float *expected)
{
    multiply(expected, a.host, b.host, n);
}

static void small_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        multiply(expected + i * AREA, a.host + i * AREA, b.host + i * AREA, SMALL);
}

static const struct step large_steps[] = {
    {"words", launch_large<multiply_words, 256>, TILE},
    {"float4", launch_large<multiply_vectors<4, 0>, 256>, TILE},
    {"padded", launch_large<multiply_vectors<4, 4>, 256>, TILE},
    {"eight_by_four", launch_large<multiply_vectors<8, 4>, 128>, TILE},
    {"double_buffer", launch_large<multiply_twofold<8, 4>, 128>, TILE},
};
const struct step_family matmul_vector_family = {
    "matmul_vector", large_steps, STEPS_COUNT(large_steps), 2048, 83, 1e-3, prepare_large,
    finish,          &c,          large_reference};

static const struct step small_steps[] = {
    {"global", launch_small<small_global, 1>},         {"shared", launch_small<small_shared, 1>},
    {"rows", launch_small<small_rows, BLOCK / SMALL>}, {"quads", launch_small<small_quads, BLOCK / QUADS>},
    {"warp", launch_small<small_warp, BLOCK / WARP>},
};
const struct step_family matmul_batched_family = {
    "matmul_batched", small_steps, STEPS_COUNT(small_steps), 1 << 16, 37, 1e-4, prepare_small,
    finish,           &c,          small_reference};
