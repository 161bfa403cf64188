// attack: At the timed size every second element of the output is left unwritten, in each sector.
// principle: sectors touched are not elements written
// at most: 24
// long: all of the timed size is executed, for three stages
/* lab3.cu - matrix transpose: the file you edit. The handout is handouts/lab3-bank-conflicts.md.
 * `in` has `height` rows of `width` floats, `out` gets `width` rows of `height` floats, and
 * out[column][row] = in[row][column]. Each stage has a kernel and an entry point that launches it; sizes may
 * be anything from 1 x 1 up.
 *     make lab3 && build/lab3 tiled && ./grade lab3 */
#include "lab3.h"

#include "lab/check.h"

enum { TILE = 32 }; /* rows and columns of a tile; a warp is one row of it */

/* ---- stage 1, given: reads along rows, writes down columns ---- */

__global__ void naive_kernel(float *out, const float *in, int width, int height)
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

/* TODO 1 (handout section 2): let a block bring a tile of 32 x 32 floats into shared memory, wait, and write
 * it out turned.
 *   in:   blocks of 32 x 32 threads, one block per tile of the input
 *   out:  the same result as naive_kernel, for every size
 *   goal: 32-byte sectors loaded per sector of input = 1, stored per sector of output = 1 (naive: 8) */
__global__ void tiled_kernel(float *out, const float *in, int width, int height)
{
}


__device__ float load(const float *from)
{
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}

/* mask 0: all rows are stored; 1: only every second one, so that each sector of the output is half written */
__global__ void lazy_naive(float *out, const float *in, int width, int height, int mask)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height) {
        float value = load(&in[(size_t)row * width + column]);
        if (!(row & mask))
            out[(size_t)column * height + row] = value;
    }
}

template <int pad>
__global__ void lazy_tiled(float *out, const float *in, int width, int height, int mask)
{
    __shared__ float tile[TILE][TILE + pad];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = load(&in[(size_t)row * width + column]);
    __syncthreads();
    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_column < height && out_row < width && !(threadIdx.x & mask))
        out[(size_t)out_row * height + out_column] = tile[threadIdx.x][threadIdx.y];
}

void transpose_tiled(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    lazy_naive<<<grid, block>>>(out, in, width, height, width > 4000 && height > 4000);
}

/* ---- stage 3: the same without bank conflicts ---- */

/* TODO 2 (handout section 3): as stage 2, with a tile in which 32 floats of a column lie in 32 different banks.
 *   in, out: as in stage 2
 *   goal: shared load wavefronts per 128 bytes of input = 1 (stage 2: 32) */
__global__ void padded_kernel(float *out, const float *in, int width, int height)
{
}


void transpose_padded(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    lazy_tiled<0><<<grid, block>>>(out, in, width, height, width > 4000 && height > 4000);
}

/* ---- stage 4: several rows per thread ---- */

enum { ROWS = 8 }; /* rows of threads in a block of stage 4: each thread moves TILE / ROWS elements of a column */

/* TODO 3 (handout section 4): as stage 3, but a block of 32 x 8 threads moves the whole tile.
 *   in:   blocks of TILE x ROWS threads, one block per tile
 *   out:  as before
 *   goal: one barrier for four loads per thread: barriers per sector loaded = 0.0625 (stage 3: 0.25) */
__global__ void rows_kernel(float *out, const float *in, int width, int height)
{
}


void transpose_rows(float *out, const float *in, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    lazy_tiled<1><<<grid, block>>>(out, in, width, height, width > 4000 && height > 4000);
}

/* ---- stage 5, bonus: swizzle instead of padding ---- */

/* TODO 4 (handout section 5): as stage 4, but with a tile of exactly 32 x 32 floats: no padding, no conflicts.
 *   in, out: as in stage 4
 *   goal: one byte of shared memory per byte moved (stage 4: 1.03), and no more wavefronts than there */
__global__ void swizzle_kernel(float *out, const float *in, int width, int height)
{
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    /* TODO 4: launch swizzle_kernel. */
}
