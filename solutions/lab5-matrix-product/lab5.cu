/* lab5.cu - matrix product, solved. The handout is handouts/lab5-matrix-product.md.
 * c = a b, matrices of n x n floats, row by row: c[row][column] is the sum over k of a[row][k] * b[k][column]. Each stage
 * has a kernel and an entry point that launches it; n may be any number from 1 up.
 *     make lab5 LAB_SOURCES=solutions && build/lab5 */
#include "lab5.h"

#include <cuda_pipeline_primitives.h>

#include "lab/answers.h"
#include "lab/check.h"

enum { SIDE = 32 }; /* of a square of threads, and of a tile */

/* How many pieces of size `each` cover n: n / each, rounded up. */
static int pieces(int n, int each)
{
    return (n + each - 1) / each;
}

/* ---- stage 1, given: one result per thread, neighbouring threads in neighbouring rows ---- */

__global__ void column_kernel(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.x * SIDE + threadIdx.x;
    int column = blockIdx.y * SIDE + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}

void matmul_column(float *c, const float *a, const float *b, int n)
{
    column_kernel<<<dim3(pieces(n, SIDE), pieces(n, SIDE)), dim3(SIDE, SIDE)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 2: neighbouring threads along a row ----
 * The 32 threads of a warp differ in threadIdx.x: they now share one element of `a`, a broadcast, and have 32 neighbours
 * of `b` and `c`. */

__global__ void coalesced_kernel(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * SIDE + threadIdx.y;
    int column = blockIdx.x * SIDE + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}

void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    coalesced_kernel<<<dim3(pieces(n, SIDE), pieces(n, SIDE)), dim3(SIDE, SIDE)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 3, given: a block of 32 x 32 results per thread ---- */

__global__ void coarse_kernel(float *c, const float *a, const float *b, int n)
{
    int top = (blockIdx.y * SIDE + threadIdx.y) * SIDE;
    int left = (blockIdx.x * SIDE + threadIdx.x) * SIDE;
    for (int k = 0; k < n; k += SIDE)
        for (int row = top; row < top + SIDE && row < n; row++)
            for (int column = left; column < left + SIDE && column < n; column++) {
                float sum = k ? c[(size_t)row * n + column] : 0;
                for (int i = k; i < k + SIDE && i < n; i++)
                    sum += a[(size_t)row * n + i] * b[(size_t)i * n + column];
                c[(size_t)row * n + column] = sum;
            }
}

void matmul_coarse(float *c, const float *a, const float *b, int n)
{
    dim3 grid(pieces(n, SIDE * SIDE), pieces(n, SIDE * SIDE));
    coarse_kernel<<<grid, dim3(SIDE, SIDE)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 4: a small block of results per thread, in registers ----
 * 4 x 4 results instead of 32 x 32: at n = 2048 there are 1024 blocks, enough for every SM. A thread's results lie EDGE
 * apart, so that its neighbours have the columns beside its own. Eight loads feed sixteen multiplications. */

enum { EDGE = 16, FEW = 4 }; /* a block of EDGE x EDGE threads, FEW x FEW results each */

__global__ void coarse_local_kernel(float *c, const float *a, const float *b, int n)
{
    int top = blockIdx.y * EDGE * FEW + threadIdx.y;
    int left = blockIdx.x * EDGE * FEW + threadIdx.x;

    /* Beyond the edge a thread computes the last row or column once more and does not store it. Tests in the loops would
     * make their length unknown, and an array whose index the compiler does not know lies in local memory. */
    const float *rows[FEW];
    int columns[FEW];
#pragma unroll
    for (int i = 0; i < FEW; i++) {
        rows[i] = a + (size_t)min(top + i * EDGE, n - 1) * n;
        columns[i] = min(left + i * EDGE, n - 1);
    }

    float sum[FEW][FEW] = {};
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        float factors[FEW];
#pragma unroll
        for (int x = 0; x < FEW; x++)
            factors[x] = b[(size_t)k * n + columns[x]];
#pragma unroll
        for (int y = 0; y < FEW; y++) {
            float factor = rows[y][k];
#pragma unroll
            for (int x = 0; x < FEW; x++)
                sum[y][x] += factor * factors[x];
        }
    }
#pragma unroll
    for (int y = 0; y < FEW; y++)
#pragma unroll
        for (int x = 0; x < FEW; x++)
            if (top + y * EDGE < n && left + x * EDGE < n)
                c[(size_t)(top + y * EDGE) * n + left + x * EDGE] = sum[y][x];
}

void matmul_coarse_local(float *c, const float *a, const float *b, int n)
{
    dim3 grid(pieces(n, EDGE * FEW), pieces(n, EDGE * FEW));
    coarse_local_kernel<<<grid, dim3(EDGE, EDGE)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 5: tiles in shared memory ----
 * What 32 rows of threads would each load from `b`, and 32 columns from `a`, is loaded once and used 32 times. */

/* An element of a matrix, and 0 beyond its edge: adding zeros changes no sum. */
__device__ static float element(const float *matrix, int row, int column, int n)
{
    return row < n && column < n ? matrix[(size_t)row * n + column] : 0;
}

__global__ void tiled_kernel(float *c, const float *a, const float *b, int n)
{
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        tile_a[ty][tx] = element(a, row, k + tx, n);
        tile_b[ty][tx] = element(b, k + ty, column, n);
        __syncthreads(); /* both tiles are there */
        for (int i = 0; i < SIDE; i++)
            sum += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads(); /* nobody needs them any more */
    }
    if (row < n && column < n)
        c[(size_t)row * n + column] = sum;
}

void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    tiled_kernel<<<dim3(pieces(n, SIDE), pieces(n, SIDE)), dim3(SIDE, SIDE)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 6: two results per thread ----
 * Half of the threads, two rows each: what comes out of tile_b is used twice. */

enum { HALF = SIDE / 2 };

__device__ static void store_two(float *c, int row, int column, int n, float upper, float lower)
{
    if (row < n && column < n)
        c[(size_t)row * n + column] = upper;
    if (row + HALF < n && column < n)
        c[(size_t)(row + HALF) * n + column] = lower;
}

__global__ void two_results_kernel(float *c, const float *a, const float *b, int n)
{
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * SIDE, column = blockIdx.x * SIDE + tx;
    float upper = 0, lower = 0;
    for (int k = 0; k < n; k += SIDE) {
        for (int i = ty; i < SIDE; i += HALF) {
            tile_a[i][tx] = element(a, top + i, k + tx, n);
            tile_b[i][tx] = element(b, k + i, column, n);
        }
        __syncthreads();
        for (int i = 0; i < SIDE; i++) {
            upper += tile_a[ty][i] * tile_b[i][tx];
            lower += tile_a[ty + HALF][i] * tile_b[i][tx];
        }
        __syncthreads();
    }
    store_two(c, top + ty, column, n, upper, lower);
}

void matmul_two_results(float *c, const float *a, const float *b, int n)
{
    two_results_kernel<<<dim3(pieces(n, SIDE), pieces(n, SIDE)), dim3(SIDE, HALF)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 7: prediction ----
 * Four loads of 4 bytes by 32 neighbours take four wavefronts; one load of 16 bytes per lane takes as many, eight lanes at a
 * time. So instructions are saved, but not the bandwidth of shared memory, which limits stage 6. Operands in registers save that. */

static const struct answers prediction_answers = {
    {choice_of_power(4), choice_of_power(4), AS_LONG, LOAD_INSTRUCTIONS, OPERANDS_IN_REGISTERS}};

void matmul_prediction(float *answers, const float *sheet, const float *, int)
{
    give_answers(answers, sheet, prediction_answers, QUESTIONS);
    CHECK_LAUNCH();
}

/* ---- stage 8: the tile of b transposed, and padded ----
 * Now both tiles are read along k, so that four steps are one float4 of each. Rows of 36 floats begin at multiples of 16
 * bytes, and eight neighbouring rows, which is what shared memory serves at a time, in eight different groups of four
 * banks. */

enum { PADDED = SIDE + 4 };

__device__ static float dot(float sum, float4 x, float4 y)
{
    sum += x.x * y.x;
    sum += x.y * y.y;
    sum += x.z * y.z;
    sum += x.w * y.w;
    return sum;
}

/* Without the second number the compiler takes 43 registers, and only half as many warps fit onto an SM. */
__global__ void __launch_bounds__(SIDE * HALF, 4) transposed_kernel(float *c, const float *a, const float *b, int n)
{
    __shared__ __align__(16) float tile_a[SIDE][SIDE], tile_b[SIDE][PADDED];
    int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;

    /* A warp brings 4 rows of 8 floats of b, which are whole sectors; turned, they lie in banks 4 * column + row, all of
     * them different. */
    int column = ty % 4 * 8 + tx % 8, line = ty / 4 * 4 + tx / 8;

    float upper = 0, lower = 0;
    for (int k = 0; k < n; k += SIDE) {
        for (int i = 0; i < SIDE; i += HALF) {
            tile_a[ty + i][tx] = element(a, top + ty + i, k + tx, n);
            tile_b[column][line + i] = element(b, k + line + i, left + column, n);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; i += 4) {
            float4 of_b = *(const float4 *)&tile_b[tx][i];
            upper = dot(upper, *(const float4 *)&tile_a[ty][i], of_b);
            lower = dot(lower, *(const float4 *)&tile_a[ty + HALF][i], of_b);
        }
        __syncthreads();
    }
    store_two(c, top + ty, left + tx, n, upper, lower);
}

void matmul_transposed(float *c, const float *a, const float *b, int n)
{
    transposed_kernel<<<dim3(pieces(n, SIDE), pieces(n, SIDE)), dim3(SIDE, HALF)>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 9: rank-1 updates ----
 * A block of c, STRIP rows by WIDTH columns, lies in registers, a column per thread. It grows by a column of a times a
 * row of b: the thread's element of b is used STRIP times from a register, and only a is in shared memory. */

enum { STRIP = 16, WIDTH = 64 }; /* STRIP rows of c, and STRIP steps of k at a time */

/* tile_a[k][row]: a column of a is then read as float4s, the same ones by the whole warp. */
__device__ static void grow(float *sum, const float *column, float factor)
{
#pragma unroll
    for (int r = 0; r < STRIP; r++)
        sum[r] += column[r] * factor;
}

__global__ void rank1_kernel(float *c, const float *a, const float *b, int n)
{
    __shared__ __align__(16) float tile_a[STRIP][STRIP];
    int t = threadIdx.x, top = blockIdx.y * STRIP, column = blockIdx.x * WIDTH + t;
    const float *below = b + min(column, n - 1); /* beyond the edge: computed, but not stored */
    float sum[STRIP] = {};
    for (int k = 0; k < n; k += STRIP) {
        for (int i = t; i < STRIP * STRIP; i += WIDTH)
            tile_a[i % STRIP][i / STRIP] = element(a, top + i / STRIP, k + i % STRIP, n);
        __syncthreads();
        if (k + STRIP <= n)
#pragma unroll
            for (int i = 0; i < STRIP; i++)
                grow(sum, tile_a[i], below[(size_t)(k + i) * n]);
        else
            for (int i = 0; k + i < n; i++)
                grow(sum, tile_a[i], below[(size_t)(k + i) * n]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < STRIP; r++)
        if (top + r < n && column < n)
            c[(size_t)(top + r) * n + column] = sum[r];
}

void matmul_rank1(float *c, const float *a, const float *b, int n)
{
    rank1_kernel<<<dim3(pieces(n, WIDTH), pieces(n, STRIP)), WIDTH>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 10: 128 x 128 results per block, 8 x 8 per thread ----
 * Both tiles are in shared memory again, but a thread takes 8 floats of each for 64 multiplications. Threads of a warp are 4
 * rows of 8; each takes two groups of four rows and two of four columns, 16 and 32 apart: so a warp's float4s are
 * neighbours, and one wavefront brings them. */

enum { TILE = 128, DEPTH = 16, EACH = 8, THREADS = 256 }; /* DEPTH: steps of k in a slice */
enum { TURNED = TILE + 4 }; /* a's tile is turned: padding spreads what a warp stores into it over the banks */

/* Where the 8 x 8 results of a thread lie in the tile of 128 x 128: a warp has 32 rows of 64 columns. */
__device__ static int first_row(void)
{
    return threadIdx.x / 64 * 32 + threadIdx.x % 32 / 8 * 4;
}

__device__ static int first_column(void)
{
    return threadIdx.x / 32 % 2 * 64 + threadIdx.x % 8 * 4;
}

enum { ROWS_APART = 16, COLUMNS_APART = 32 }; /* of a thread's two groups */

/* Adds one k: a column of a's tile times a row of b's. */
__device__ static void add_product(float (*sum)[EACH], const float *column, const float *row)
{
    float4 a[2] = {*(const float4 *)column, *(const float4 *)(column + ROWS_APART)};
    float4 b[2] = {*(const float4 *)row, *(const float4 *)(row + COLUMNS_APART)};
#pragma unroll
    for (int y = 0; y < EACH; y++)
#pragma unroll
        for (int x = 0; x < EACH; x++)
            sum[y][x] += ((const float *)a)[y] * ((const float *)b)[x];
}

/* WHOLE: n is a multiple of the tile, so that nothing needs a test and float4s are aligned. */
template <bool WHOLE> __device__ static float4 four_of(const float *matrix, int row, int column, int n)
{
    if (WHOLE)
        return *(const float4 *)&matrix[(size_t)row * n + column];
    return make_float4(element(matrix, row, column, n), element(matrix, row, column + 1, n),
                       element(matrix, row, column + 2, n), element(matrix, row, column + 3, n));
}

template <bool WHOLE> __device__ static void store_results(float *c, int n, const float (*sum)[EACH])
{
    int top = blockIdx.y * TILE + first_row(), left = blockIdx.x * TILE + first_column();
#pragma unroll
    for (int y = 0; y < EACH; y++)
#pragma unroll
        for (int x = 0; x < EACH; x += 4) {
            int row = top + y / 4 * ROWS_APART + y % 4, column = left + x / 4 * COLUMNS_APART;
            float *to = &c[(size_t)row * n + column];
            if (WHOLE)
                *(float4 *)to = make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
            else
                for (int i = 0; i < 4; i++)
                    if (row < n && column + i < n)
                        to[i] = sum[y][x + i];
        }
}

template <bool WHOLE> __device__ static void multiply_tile(float *c, const float *a, const float *b, int n)
{
    __shared__ __align__(16) float tile_a[DEPTH][TURNED], tile_b[DEPTH][TILE]; /* [k][row] and [k][column] */
    int t = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int row = t / 4, depth = t % 4 * 4, line = t / 32, column = t % 32 * 4;
    float sum[EACH][EACH] = {};
    for (int k = 0; k < n; k += DEPTH) {
        /* Two float4s of each; all four loads are on their way before the first is needed. */
        float4 of_a[2], of_b[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            of_a[i] = four_of<WHOLE>(a, top + row + i * TILE / 2, k + depth, n);
            of_b[i] = four_of<WHOLE>(b, k + line + i * DEPTH / 2, left + column, n);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int d = 0; d < 4; d++)
                tile_a[depth + d][row + i * TILE / 2] = ((const float *)&of_a[i])[d];
            *(float4 *)&tile_b[line + i * DEPTH / 2][column] = of_b[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            add_product(sum, &tile_a[i][first_row()], &tile_b[i][first_column()]);
        __syncthreads();
    }
    store_results<WHOLE>(c, n, sum);
}

__global__ void __launch_bounds__(THREADS, 2) registers_kernel(float *c, const float *a, const float *b, int n)
{
    multiply_tile<true>(c, a, b, n);
}

void matmul_registers(float *c, const float *a, const float *b, int n)
{
    if (n % TILE) { /* stage 11 does better */
        matmul_rank1(c, a, b, n);
        return;
    }
    registers_kernel<<<dim3(n / TILE, n / TILE), THREADS>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 11: every n at this speed ----
 * Rows begin anywhere, so a float4 is four loads, each with a test, and 0 beyond the edge. That is a tenth more
 * instructions; the multiplication, which takes the time, stays as it is. */

__global__ void __launch_bounds__(THREADS, 2) edges_kernel(float *c, const float *a, const float *b, int n)
{
    multiply_tile<false>(c, a, b, n);
}

void matmul_edges(float *c, const float *a, const float *b, int n)
{
    edges_kernel<<<dim3(pieces(n, TILE), pieces(n, TILE)), THREADS>>>(c, a, b, n);
    CHECK_LAUNCH();
}

/* ---- stage 12, bonus: asynchronous copies into two buffers ----
 * While the block multiplies one slice, the next one is copied straight into shared memory: no register holds it, and one
 * barrier per slice is enough. Slices are deeper than those of stage 10, so that there are fewer of these. */

enum { SLICE = 32 };

struct slices {
    float a[SLICE][TURNED], b[SLICE][TILE];
};

/* Starts the copy of slice k. What lies beyond the edge is not read: zeros are filled in, and the address is one inside. */
template <bool WHOLE>
__device__ static void start_copy(struct slices *to, const float *a, const float *b, int n, int k)
{
    const int t = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    /* A warp takes 8 floats of 4 rows of a, whole sectors, and spreads them over banks 4 * k + row: all different. */
    const int row = t / 8, depth = t % 8;
    const float *from_a = a + (size_t)(top + row) * n + k + depth;
#pragma unroll
    for (int y = 0; y < TILE; y += THREADS / 8)
#pragma unroll
        for (int i = 0; i < SLICE; i += 8) {
            bool is_there = WHOLE || (top + row + y < n && k + depth + i < n);
            __pipeline_memcpy_async(&to->a[depth + i][row + y], is_there ? from_a + y * n + i : a, 4, is_there ? 0 : 4);
        }
    /* A row of b's slice is 32 copies of four floats, or 128 of one. */
    const int wide = WHOLE ? 4 : 1, across = TILE / wide, line = t / across, column = t % across * wide;
    const float *from_b = b + (size_t)(k + line) * n + left + column;
#pragma unroll
    for (int i = 0; i < SLICE; i += THREADS / across) {
        bool is_there = WHOLE || (k + line + i < n && left + column < n);
        __pipeline_memcpy_async(&to->b[line + i][column], is_there ? from_b + i * n : b, 4 * wide, is_there ? 0 : 4);
    }
    __pipeline_commit();
}

template <bool WHOLE>
__global__ void __launch_bounds__(THREADS, 2) pipeline_kernel(float *c, const float *a, const float *b, int n)
{
    extern __shared__ __align__(16) struct slices buffers[]; /* two; more than the 48 KB that a declaration may have */
    float sum[EACH][EACH] = {};
    start_copy<WHOLE>(&buffers[0], a, b, n, 0);
    for (int k = 0, now = 0; k < n; k += SLICE, now ^= 1) {
        /* What was copied is there for all threads, and all are done with the other buffer: one barrier says both. */
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k + SLICE < n)
            start_copy<WHOLE>(&buffers[now ^ 1], a, b, n, k + SLICE);
#pragma unroll
        for (int i = 0; i < SLICE; i++)
            add_product(sum, &buffers[now].a[i][first_row()], &buffers[now].b[i][first_column()]);
    }
    store_results<WHOLE>(c, n, sum);
}

template <bool WHOLE> static void launch_pipeline(float *c, const float *a, const float *b, int n)
{
    const int bytes = 2 * sizeof(struct slices);
    CHECK(cudaFuncSetAttribute(pipeline_kernel<WHOLE>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    pipeline_kernel<WHOLE><<<dim3(pieces(n, TILE), pieces(n, TILE)), THREADS, bytes>>>(c, a, b, n);
    CHECK_LAUNCH();
}

void matmul_pipeline(float *c, const float *a, const float *b, int n)
{
    if (n % TILE == 0)
        launch_pipeline<true>(c, a, b, n);
    else
        launch_pipeline<false>(c, a, b, n);
}
