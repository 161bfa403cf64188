/* lab5.cu - matrix product: the file you edit. The handout is handouts/lab5-matrix-product.md.
 * c = a b, matrices of n x n floats, row by row: c[row][column] is the sum over k of a[row][k] * b[k][column]. Each stage
 * has a kernel and an entry point that launches it; n may be any number from 1 up.
 *     make lab5 && build/lab5 tiled && ./grade lab5 */
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

/* ---- stage 2: neighbouring threads along a row ---- */

/* TODO 1 (handout section 2): the same kernel, but threadIdx.x gives the column: a warp runs along a row of c.
 *   in:   blocks of 32 x 32 threads
 *   out:  the product, for every n
 *   goal: 32-byte sectors loaded per sector of input = 1280 (stage 1: 8448) */
__global__ void coalesced_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_coalesced(float *c, const float *a, const float *b, int n)
{
    /* TODO 1: launch coalesced_kernel as matmul_column launches its kernel. */
}

/* ---- stage 3, given: a block of 32 x 32 results per thread (handout section 3: why is it so slow?) ---- */

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

/* ---- stage 4: a small block of results per thread, in registers ---- */

enum { EDGE = 16, FEW = 4 }; /* a block of EDGE x EDGE threads, FEW x FEW results each */

/* TODO 2 (handout section 4): a thread has FEW x FEW results in an array of its own, sum[FEW][FEW]. In each step of k it
 * loads FEW elements of a and FEW of b, and multiplies each element of a by each of b.
 *   in:   blocks of EDGE x EDGE threads; a block has EDGE * FEW rows and columns of c, a thread every EDGE-th of them
 *   out:  the product, for every n
 *   goal: stores to local memory = 0, sectors loaded per sector of input = 256 (stage 2: 1280) */
__global__ void coarse_local_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_coarse_local(float *c, const float *a, const float *b, int n)
{
    /* TODO 2: launch coarse_local_kernel; how many blocks does it need? */
}

/* ---- stage 5: tiles in shared memory ---- */

/* TODO 3 (handout section 5): a block loads a tile of a and one of b, 32 x 32 each, into shared memory, waits, adds their
 * products to its results, waits again, and goes on to the next pair of tiles.
 *   in:   blocks of 32 x 32 threads, one result per thread
 *   out:  the product, for every n; places of a tile beyond the edge must hold 0
 *   goal: sectors loaded per sector of input = 64 (stage 2: 1280) */
__global__ void tiled_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    /* TODO 3: launch tiled_kernel. */
}

/* ---- stage 6: two results per thread ---- */

enum { HALF = SIDE / 2 };

/* TODO 4 (handout section 6): the same tiles, but 32 x 16 threads: thread (x, y) has the results in rows y and y + HALF.
 *   in:   blocks of SIDE x HALF threads
 *   out:  the product, for every n
 *   goal: shared loads per 256 multiply-adds of a warp = 384 (stage 5: 512) */
__global__ void two_results_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_two_results(float *c, const float *a, const float *b, int n)
{
    /* TODO 4: launch two_results_kernel; its block has another shape, the grid is that of stage 5. */
}

/* ---- stage 7: prediction ---- */

/* TODO 5 (handout section 7): predict what stage 8 gains over stage 6, before you write it, and fill in five answers. The possible
 * answers of the last three are in lab5.h; of the first two, write the number between the parentheses of choice_of_power().
 *   1. stage 6: how many wavefronts do the loads of tile_b take, for four steps of k of a warp?  1, 2, 4, 8, 16 or 32; 0: not given
 *   2. stage 8: how many does its one float4 load of tile_b take, with rows that cause no conflicts?
 *   3. how long does stage 8 take on an H200, compared with stage 6?
 *   4. what does stage 8 save?
 *   5. what would make stage 6 faster? */
static const struct answers prediction_answers = {
    {choice_of_power(0), choice_of_power(0), NOT_PREDICTED, NOT_NAMED, NOT_CHOSEN}};

void matmul_prediction(float *answers, const float *sheet, const float *, int)
{
    give_answers(answers, sheet, prediction_answers, QUESTIONS);
    CHECK_LAUNCH();
}

/* ---- stage 8: the tile of b transposed and padded ---- */

/* TODO 6 (handout section 7): as stage 6, but b's tile is transposed in shared memory, tile_b[column][k]. Four steps of k
 * then need one float4 of each row that the thread reads. How long must a row of tile_b be?
 *   in, out: as in stage 6
 *   goal: shared loads per 256 multiply-adds = 96 (stage 6: 384), shared wavefronts = 256 (without padding: 1152) */
__global__ void transposed_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_transposed(float *c, const float *a, const float *b, int n)
{
    /* TODO 6: launch transposed_kernel. */
}

/* ---- stage 9: rank-1 updates ---- */

enum { STRIP = 16, WIDTH = 64 }; /* STRIP rows of c, and STRIP steps of k at a time */

/* TODO 7 (handout section 8): a thread has a column of STRIP results in registers. In each step of k it loads one element of
 * b from global memory, and multiplies it by STRIP elements of a, which come from shared memory.
 *   in:   blocks of WIDTH threads; a block has STRIP rows and WIDTH columns of c
 *   out:  the product, for every n
 *   goal: shared wavefronts per 256 multiply-adds = 128 (stage 8: 256) */
__global__ void rank1_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_rank1(float *c, const float *a, const float *b, int n)
{
    /* TODO 7: launch rank1_kernel. */
}

/* ---- stage 10: 128 x 128 results per block, 8 x 8 per thread ---- */

enum { TILE = 128, DEPTH = 16, EACH = 8, THREADS = 256 }; /* DEPTH: steps of k in a slice */

/* TODO 8 (handout section 9): both tiles go through shared memory, in slices of DEPTH steps of k. A thread has EACH x EACH
 * results in registers, and reads EACH floats of each slice in every step.
 *   in:   blocks of THREADS threads; a block has TILE x TILE results. n is a multiple of TILE: no load needs a test
 *   out:  the product
 *   goal: sectors loaded per sector of input = 16 (stage 9: 80), shared wavefronts per 256 multiply-adds = 48 (stage 9: 128) */
__global__ void __launch_bounds__(THREADS, 2) registers_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_registers(float *c, const float *a, const float *b, int n)
{
    if (n % TILE) { /* stage 11 does better */
        matmul_rank1(c, a, b, n);
        return;
    }
    /* TODO 8: launch registers_kernel. */
}

/* ---- stage 11: every n at this speed ---- */

/* TODO 9 (handout section 10): stage 10 for every n. Rows begin anywhere, and blocks reach beyond the matrices: what was a
 * float4 in a, b or c is four floats, each with a test. Keep all 16 loads of a thread before its first store into a slice.
 *   in:   blocks of THREADS threads; a block has TILE x TILE results
 *   out:  the product, for every n; places of a slice beyond the edge must hold 0
 *   goal: at n = 2047, shared wavefronts per 256 multiply-adds = 48 (stage 10 leaves this n to stage 9: 128) */
__global__ void __launch_bounds__(THREADS, 2) edges_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_edges(float *c, const float *a, const float *b, int n)
{
    /* TODO 9: launch edges_kernel, whatever n is. */
}

/* ---- stage 12, bonus: asynchronous copies into two buffers ---- */

/* TODO 10 (handout section 11): as stage 10, but __pipeline_memcpy_async() copies each slice into one buffer while the block
 * multiplies the slice in the other buffer. Longer slices are allowed.
 *   in:   as in stage 10
 *   out:  the product; n that are no multiple of TILE may be left to stage 11
 *   goal: bytes copied asynchronously per byte of input = 16 (stage 10: 0) */
__global__ void __launch_bounds__(THREADS, 2) pipeline_kernel(float *c, const float *a, const float *b, int n)
{
}

void matmul_pipeline(float *c, const float *a, const float *b, int n)
{
    /* TODO 10: launch pipeline_kernel. */
}
