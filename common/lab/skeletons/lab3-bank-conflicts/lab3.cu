/* lab3.cu - matrix transpose: the file you edit. The handout is handouts/lab3-bank-conflicts.md.
 * `in` has `height` rows of `width` floats, `out` gets `width` rows of `height` floats, and
 * out[column][row] = in[row][column]. Each stage has a kernel and an entry point that launches it; sizes may
 * be anything from 1 x 1 up.
 *     make lab3 && build/lab3 tiled && ./grade lab3 */
#include "lab3.h"

#include "lab/check.h"

constexpr int TILE = 32; /* rows and columns of a tile; a warp is one row of it */

/* ---- stage 1, given: reads along rows, writes down columns ---- */

__global__ void naive_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        out[(size_t)column * height + row] = in[(size_t)row * width + column];
}

void transpose_naive(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    naive_kernel<<<grid, block>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 2: through shared memory ---- */

/* TODO 1 (handout section 2): let a block load a tile of 32 x 32 floats into shared memory, wait, and write
 * it out transposed.
 *   in:   blocks of 32 x 32 threads, one block per tile of the input
 *   out:  the same result as naive_kernel, for every size
 *   goal: 32-byte sectors loaded per sector of input = 1, stored per sector of output = 1 (naive: 8) */
__global__ void tiled_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
}

void transpose_tiled(float *out, const float *in, int width, int height)
{
    /* TODO 1: launch tiled_kernel as transpose_naive launches its kernel. */
}

/* ---- stage 3: the same without bank conflicts ---- */

/* TODO 2 (handout section 3): as stage 2, but the 32 floats of a column of the tile lie in 32 different banks.
 *   in, out: as in stage 2
 *   goal: shared load wavefronts per 128 bytes of input = 1 (stage 2: 32) */
__global__ void padded_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    /* TODO 2: launch padded_kernel. */
}

/* ---- stage 4: several rows per thread ---- */

constexpr int ROWS = 8; /* rows of threads in a block of stage 4: each thread moves TILE / ROWS elements of a column */
static_assert(TILE % ROWS == 0, "all threads of a block must move the same number of elements");

/* TODO 3 (handout section 4): as stage 3, but a block of 32 x 8 threads moves the whole tile.
 *   in:   blocks of TILE x ROWS threads, one block per tile
 *   out:  as before
 *   goal: one barrier for four loads per thread: barriers per sector of input = 0.0625 (stage 3: 0.25) */
__global__ void rows_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    /* TODO 3: launch rows_kernel; its blocks have another shape. */
}

/* ---- stage 5, bonus: swizzle instead of padding ---- */

/* TODO 4 (handout section 5): as stage 4, but with a tile of exactly 32 x 32 floats: no padding, no conflicts.
 *   in, out: as in stage 4
 *   goal: one byte of shared memory per byte moved (stage 4: 1.03), and no more wavefronts than there */
__global__ void swizzle_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    /* TODO 4: launch swizzle_kernel. */
}

/* ---- stage 6, given: the control experiment ----
 * A copy along the same path: a tile, a barrier, one element per thread, as in stages 2 and 3, but no transpose.
 * Its time is the cost of the path. What a transpose takes beyond it is the cost of transposing (handout section 6). */

__global__ void copy_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[TILE][TILE];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + column];

    __syncthreads();

    if (column < width && row < height)
        out[(size_t)row * width + column] = tile[threadIdx.y][threadIdx.x];
}

void copy_tiled(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    copy_kernel<<<grid, block>>>(out, in, width, height);
    CHECK_LAUNCH();
}
