/* matmul.cu - matrix multiplication C = A B of n x n floats, from threads along the column to 128 x 128 register
 * tiles. Rows are packed. Steps up to `transposed` take any n; `coarse` and the last two want multiples of their
 * tile. The lectures' versions: what differs from step to step is one idea. */
#include "steps.h"

enum { SIDE = 32, HALF = SIDE / 2 };

static int n;
static struct steps_array a, b, c;

/* ---------------------------------------------------------------------------------- one result per thread */

/* Neighbouring threads have neighbouring rows: each load and store of a warp goes to 32 lines. */
__global__ void matmul_column(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.x * SIDE + threadIdx.x, column = blockIdx.y * SIDE + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

/* A thread computes SIDE x SIDE results: n = 1024 leaves one block for the whole GPU. */
__global__ void matmul_coarse(float *c, const float *a, const float *b, int n)
{
    int top = (blockIdx.y * SIDE + threadIdx.y) * SIDE, left = (blockIdx.x * SIDE + threadIdx.x) * SIDE;
    if (top >= n || left >= n)
        return;
    for (int k = 0; k < n; k += SIDE)
        for (int i = top; i < top + SIDE; i++)
            for (int j = left; j < left + SIDE; j++) {
                float sum = k ? c[i * n + j] : 0;
                for (int m = k; m < k + SIDE; m++)
                    sum += a[i * n + m] * b[m * n + j];
                c[i * n + j] = sum;
            }
}

/* ------------------------------------------------------------------------------------------- shared tiles */

__device__ static float element(const float *matrix, int row, int column, int n)
{
    return row < n && column < n ? matrix[row * n + column] : 0;
}

__global__ void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float sum = 0;
    for (int k = 0; k < n; k += SIDE) {
        ta[ty][tx] = element(a, row, k + tx, n);
        tb[ty][tx] = element(b, k + ty, column, n);
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

/* Half of the threads, two rows each: what comes out of tb is used twice. */
__global__ void matmul_two(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float upper = 0, lower = 0;
    for (int k = 0; k < n; k += SIDE) {
        for (int i = ty; i < SIDE; i += HALF) {
            ta[i][tx] = element(a, row - ty + i, k + tx, n);
            tb[i][tx] = element(b, k + i, column, n);
        }
        __syncthreads();
        for (int i = 0; i < SIDE; i++) {
            upper += ta[ty][i] * tb[i][tx];
            lower += ta[ty + HALF][i] * tb[i][tx];
        }
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = upper;
    if (row + HALF < n && column < n)
        c[(row + HALF) * n + column] = lower;
}

/* B's tile lies transposed, so that both are read along a row; padding keeps the columns' banks apart. */
__global__ void matmul_transposed(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[SIDE][SIDE], tb[SIDE][SIDE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float upper = 0, lower = 0;
    for (int k = 0; k < n; k += SIDE) {
        for (int i = ty; i < SIDE; i += HALF) {
            ta[i][tx] = element(a, row - ty + i, k + tx, n);
            tb[tx][i] = element(b, k + i, column, n);
        }
        __syncthreads();
        for (int i = 0; i < SIDE; i++) {
            upper += ta[ty][i] * tb[tx][i];
            lower += ta[ty + HALF][i] * tb[tx][i];
        }
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = upper;
    if (row + HALF < n && column < n)
        c[(row + HALF) * n + column] = lower;
}

/* ----------------------------------------------------------------------------------- results in registers */

enum { STRIP = 16, WIDTH = 64 };

/* A block of C, STRIP rows by WIDTH columns, lies in registers, a column per thread; it grows by A's column times
 * B's row. Only A is in shared memory. */
__global__ void matmul_rank1(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[STRIP][STRIP]; /* [k][row]: a column of A is read as vectors */
    int t = threadIdx.x, top = blockIdx.y * STRIP, column = blockIdx.x * WIDTH + t;
    float sum[STRIP] = {};
    for (int k = 0; k < n; k += STRIP) {
        for (int i = t; i < STRIP * STRIP; i += WIDTH)
            ta[i % STRIP][i / STRIP] = a[(top + i / STRIP) * n + k + i % STRIP];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STRIP; i++) {
            float factor = b[(k + i) * n + column];
#pragma unroll
            for (int r = 0; r < STRIP; r++)
                sum[r] += ta[i][r] * factor;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < STRIP; r++)
        c[(top + r) * n + column] = sum[r];
}

enum { TILE = 128, DEPTH = 8, EACH = 8, TILE_THREADS = 256 };

/* What a thread brings of the next slices: one float4 of A, one of B. */
struct slice {
    float4 a, b;
};

__device__ static struct slice fetch(const float *a, const float *b, int n, int top, int left, int k)
{
    int t = threadIdx.x;
    struct slice slice;
    slice.a = *(const float4 *)&a[(size_t)(top + t / 2) * n + k + t % 2 * 4];
    slice.b = *(const float4 *)&b[(size_t)(k + t / 32) * n + left + t % 32 * 4];
    return slice;
}

__device__ static void keep(float (*ta)[TILE], float (*tb)[TILE], const struct slice &slice)
{
    int t = threadIdx.x, row = t / 2, k = t % 2 * 4;
    ta[k][row] = slice.a.x;
    ta[k + 1][row] = slice.a.y;
    ta[k + 2][row] = slice.a.z;
    ta[k + 3][row] = slice.a.w;
    *(float4 *)&tb[t / 32][t % 32 * 4] = slice.b;
}

__device__ static void take(float *into, const float *from)
{
    *(float4 *)into = *(const float4 *)from;
    *(float4 *)(into + 4) = *(const float4 *)(from + TILE / 2);
}

/* The next slices are on their way while those of this round are multiplied; two buffers, one barrier. */
__global__ void __launch_bounds__(TILE_THREADS) matmul_registers(float *c, const float *a, const float *b, int n)
{
    __shared__ __align__(16) float ta[2][DEPTH][TILE], tb[2][DEPTH][TILE];
    int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};
    keep(ta[0], tb[0], fetch(a, b, n, top, left, 0));
    __syncthreads();
    for (int k = 0, now = 0; k < n; k += DEPTH, now ^= 1) {
        struct slice next = {};
        if (k + DEPTH < n)
            next = fetch(a, b, n, top, left, k + DEPTH);
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            __align__(16) float column[EACH], row[EACH];
            take(column, &ta[now][i][ty]);
            take(row, &tb[now][i][tx]);
#pragma unroll
            for (int y = 0; y < EACH; y++)
#pragma unroll
                for (int x = 0; x < EACH; x++)
                    sum[y][x] += column[y] * row[x];
        }
        if (k + DEPTH < n)
            keep(ta[now ^ 1], tb[now ^ 1], next);
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < EACH; y++)
#pragma unroll
        for (int x = 0; x < EACH; x += 4) {
            int row = top + ty + y % 4 + y / 4 * TILE / 2, column = left + tx + x / 4 * TILE / 2;
            *(float4 *)&c[(size_t)row * n + column] =
                make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
        }
}

/* ------------------------------------------------------------------------------------------- the families */

static dim3 grid_of(int width, int height)
{
    return dim3(steps_blocks(n, width), steps_blocks(n, height));
}

static void launch_column(void)
{
    matmul_column<<<grid_of(SIDE, SIDE), dim3(SIDE, SIDE)>>>(c.device, a.device, b.device, n);
}

static void launch_coalesced(void)
{
    matmul_coalesced<<<grid_of(SIDE, SIDE), dim3(SIDE, SIDE)>>>(c.device, a.device, b.device, n);
}

static void launch_coarse(void)
{
    matmul_coarse<<<grid_of(SIDE * SIDE, SIDE * SIDE), dim3(SIDE, SIDE)>>>(c.device, a.device, b.device, n);
}

static void launch_tiled(void)
{
    matmul_tiled<<<grid_of(SIDE, SIDE), dim3(SIDE, SIDE)>>>(c.device, a.device, b.device, n);
}

static void launch_two(void)
{
    matmul_two<<<grid_of(SIDE, SIDE), dim3(SIDE, HALF)>>>(c.device, a.device, b.device, n);
}

static void launch_transposed(void)
{
    matmul_transposed<<<grid_of(SIDE, SIDE), dim3(SIDE, HALF)>>>(c.device, a.device, b.device, n);
}

static void launch_rank1(void)
{
    matmul_rank1<<<grid_of(WIDTH, STRIP), WIDTH>>>(c.device, a.device, b.device, n);
}

static void launch_registers(void)
{
    matmul_registers<<<grid_of(TILE, TILE), TILE_THREADS>>>(c.device, a.device, b.device, n);
}

static void prepare(int size)
{
    n = size;
    a = steps_input((size_t)n * n, 1);
    b = steps_input((size_t)n * n, 2);
    c = steps_output((size_t)n * n);
}

static void finish(void)
{
    steps_free(&a);
    steps_free(&b);
    steps_free(&c);
}

static void reference(float *expected)
{
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a.host[row * n + k] * b.host[k * n + column];
            expected[row * n + column] = (float)sum;
        }
}

static const struct step steps[] = {
    {"column", launch_column},       {"coalesced", launch_coalesced}, {"coarse", launch_coarse, SIDE},
    {"tiled", launch_tiled},         {"two_results", launch_two},     {"transposed", launch_transposed},
    {"rank1", launch_rank1, WIDTH},  {"registers", launch_registers, TILE},
};

/* Where one block does it all, there is nothing more to learn from a larger matrix. */
static const struct step large_steps[] = {
    {"column", launch_column},     {"coalesced", launch_coalesced},   {"tiled", launch_tiled},
    {"two_results", launch_two},   {"transposed", launch_transposed}, {"rank1", launch_rank1, WIDTH},
    {"registers", launch_registers, TILE},
};

const struct step_family matmul_family = {
    "matmul", steps, STEPS_COUNT(steps), 1024, 83, 1e-3, prepare, finish, &c, reference};
const struct step_family matmul_large_family = {
    "matmul_large", large_steps, STEPS_COUNT(large_steps), 2048, 101, 1e-3, prepare, finish, &c, reference};
