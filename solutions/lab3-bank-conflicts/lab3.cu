/* lab3.cu - matrix transpose, solved. The handout is handouts/lab3-bank-conflicts.md.
 * `in` has `height` rows of `width` floats, `out` gets `width` rows of `height` floats, and
 * out[column][row] = in[row][column]. Each stage has a kernel and an entry point that launches it; sizes may
 * be anything from 1 x 1 up.
 *     make lab3 LAB_SOURCES=solutions && build/lab3 */
#include "lab3.h"

#include "lab/check.h"

constexpr int TILE = 32; /* rows and columns of a tile; a warp is one row of it */

static dim3 grid_of(int width, int height, int side = TILE)
{
    return dim3((width + side - 1) / side, (height + side - 1) / side);
}

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
    naive_kernel<<<grid_of(width, height), dim3(TILE, TILE)>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 2: through shared memory ----
 * The scattered step moves from global memory, where it costs 32 sectors per store, into shared memory, which
 * has no sectors. On both sides of it threadIdx.x runs along a row. */

__global__ void tiled_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[TILE][TILE];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + column];

    /* Outside the test: every thread of the block must come here, also those beyond the edge. */
    __syncthreads();

    /* The tile's place is turned by swapping the block's indexes, its content by swapping the thread's. */
    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_column < height && out_row < width)
        out[(size_t)out_row * height + out_column] = tile[threadIdx.x][threadIdx.y];
}

void transpose_tiled(float *out, const float *in, int width, int height)
{
    tiled_kernel<<<grid_of(width, height), dim3(TILE, TILE)>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 3: the same without bank conflicts ----
 * One more float per row: element (r, c) lies in bank (33 r + c) % 32 = (r + c) % 32. Down a column the bank
 * changes with every row, and along a row it still changes with every column. The last float of a row is
 * never used. */

__global__ void padded_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (column < width && row < height)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + column];

    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_column < height && out_row < width)
        out[(size_t)out_row * height + out_column] = tile[threadIdx.x][threadIdx.y];
}

void transpose_padded(float *out, const float *in, int width, int height)
{
    padded_kernel<<<grid_of(width, height), dim3(TILE, TILE)>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 4: several rows per thread ----
 * A thread of stage 3 has one load in flight and then waits for it at the barrier. Here it has several, and index
 * arithmetic and barrier are paid once for all. Blocks are smaller, so that while one waits, others move data.
 * A tile of 32 x 32, four elements per thread, gets to 84 % of a copy on an H200. One of 64 x 64 gets to 94 %: a thread
 * has eight loads in flight, and what a block writes side by side is 256 bytes long. */

constexpr int WIDE = 64; /* rows and columns of a tile of this stage; a warp is half a row of it */
constexpr int ROWS = 8;  /* rows of threads in a block */
static_assert(WIDE % ROWS == 0, "all threads of a block must move the same number of elements");

__global__ void rows_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[WIDE][WIDE + 1];
    float kept[WIDE / ROWS];

    int column = blockIdx.x * WIDE + threadIdx.x;
    int row = blockIdx.y * WIDE + threadIdx.y;
    /* All loads are issued before the first value is needed. Beyond the edge a zero goes into the tile: nobody
     * takes it out again, and the second loop needs no test. */
#pragma unroll
    for (int k = 0; k < WIDE / ROWS; k++)
        kept[k] = column < width && row + k * ROWS < height ? in[(size_t)(row + k * ROWS) * width + column] : 0;
#pragma unroll
    for (int k = 0; k < WIDE / ROWS; k++)
        tile[threadIdx.y + k * ROWS][threadIdx.x] = kept[k];

    __syncthreads();

    int out_column = blockIdx.y * WIDE + threadIdx.x;
    int out_row = blockIdx.x * WIDE + threadIdx.y;
#pragma unroll
    for (int k = 0; k < WIDE / ROWS; k++)
        if (out_column < height && out_row + k * ROWS < width)
            out[(size_t)(out_row + k * ROWS) * height + out_column] = tile[threadIdx.x][threadIdx.y + k * ROWS];
}

void transpose_rows(float *out, const float *in, int width, int height)
{
    rows_kernel<<<grid_of(width, height, WIDE), dim3(WIDE, ROWS)>>>(out, in, width, height);
    CHECK_LAUNCH();
}

/* ---- stage 5, bonus: swizzle instead of padding ----
 * Element (r, c) is kept at [r][c ^ r]. XOR with a fixed r gives every c another place, and so does XOR with
 * a fixed c to every r: rows and columns both meet 32 different banks, and the tile needs no byte more than
 * its data. */

__global__ void swizzle_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[TILE][TILE];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE;
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += ROWS)
        if (column < width && row + r < height)
            tile[r][threadIdx.x ^ r] = in[(size_t)(row + r) * width + column];

    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE;
#pragma unroll
    for (int c = threadIdx.y; c < TILE; c += ROWS)
        if (out_column < height && out_row + c < width)
            out[(size_t)(out_row + c) * height + out_column] = tile[threadIdx.x][c ^ threadIdx.x];
}

/* The same with a float4 as the unit that moves, where both sizes are multiples of four. A thread turns a
 * square of 4 x 4 floats in its registers; the tile then holds the turned rows, eight float4 each, and float4
 * number `group` of a row is kept at group ^ (row / 4). Shared memory serves float4s eight lanes at a time:
 * these must differ in their 16-byte column, and they do, when they write (same group, eight values of row /
 * 4) and when they read (same row, eight groups). */

constexpr int QUADS = TILE / 4, QUAD_THREADS = QUADS * QUADS;

/* Row i of the turned square is column i of the loaded one. */
__device__ float4 column_of(const float4 *square, int i)
{
    const float *values = (const float *)square;
    return make_float4(values[i], values[4 + i], values[8 + i], values[12 + i]);
}

__global__ void swizzle_quads_kernel(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    __shared__ float4 tile[TILE][QUADS];
    float4 square[4];

    int quad = threadIdx.x % QUADS, group = threadIdx.x / QUADS;
    int column = blockIdx.x * TILE + 4 * quad;
    int row = blockIdx.y * TILE + 4 * group;
    if (column < width && row < height) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            square[k] = *(const float4 *)&in[(size_t)(row + k) * width + column];
#pragma unroll
        for (int i = 0; i < 4; i++)
            tile[4 * quad + i][group ^ quad] = column_of(square, i);
    }

    __syncthreads();

    int out_column = blockIdx.y * TILE + 4 * quad;
    if (out_column < height)
#pragma unroll
        for (int r = group; r < TILE; r += QUADS)
            if (blockIdx.x * TILE + r < width)
                *(float4 *)&out[(size_t)(blockIdx.x * TILE + r) * height + out_column] = tile[r][quad ^ (r / 4)];
}

/* A float4 must lie at a multiple of 16 bytes: true of what cudaMalloc gives, and of rows whose length is a
 * multiple of 4. */
static bool is_in_quads(const float *out, const float *in, int width, int height)
{
    return width % 4 == 0 && height % 4 == 0 && ((size_t)out | (size_t)in) % sizeof(float4) == 0;
}

void transpose_swizzle(float *out, const float *in, int width, int height)
{
    if (is_in_quads(out, in, width, height))
        swizzle_quads_kernel<<<grid_of(width, height), QUAD_THREADS>>>(out, in, width, height);
    else
        swizzle_kernel<<<grid_of(width, height), dim3(TILE, ROWS)>>>(out, in, width, height);
    CHECK_LAUNCH();
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
    copy_kernel<<<grid_of(width, height), dim3(TILE, TILE)>>>(out, in, width, height);
    CHECK_LAUNCH();
}
