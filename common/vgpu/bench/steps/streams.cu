/* streams.cu - one job in pieces, over one stream or many: what pieces that run side by side gain, and what they share.
 * A step forks its streams off the default stream and joins them there with events, so that two events in the default
 * stream measure all of it. Whatever the number of streams, all steps of a family compute the same. */
#include "steps.h"

enum { MOST_STREAMS = 16 };

/* Launches piece `piece` of `pieces` of the work. */
typedef void piece_function(int piece, int pieces, cudaStream_t stream);

static int n;
static struct steps_array in, out;
static cudaStream_t streams[MOST_STREAMS];
static cudaEvent_t fork_event, joins[MOST_STREAMS];

static void make_event(cudaEvent_t *event)
{
    STEPS_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
}

static void prepare(size_t count)
{
    in = steps_input(count, 21);
    out = steps_output(count);
    make_event(&fork_event);
    for (int s = 0; s < MOST_STREAMS; s++) {
        STEPS_CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        make_event(&joins[s]);
    }
}

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
    STEPS_CHECK(cudaEventDestroy(fork_event));
    for (int s = 0; s < MOST_STREAMS; s++) {
        STEPS_CHECK(cudaStreamDestroy(streams[s]));
        STEPS_CHECK(cudaEventDestroy(joins[s]));
    }
}

template <piece_function PIECE, int PIECES, int STREAMS> static void launch_pieces(void)
{
    STEPS_CHECK(cudaEventRecord(fork_event));
    for (int s = 0; s < STREAMS; s++)
        STEPS_CHECK(cudaStreamWaitEvent(streams[s], fork_event));
    for (int p = 0; p < PIECES; p++)
        PIECE(p, PIECES, streams[p % STREAMS]);
    for (int s = 0; s < STREAMS; s++) {
        STEPS_CHECK(cudaEventRecord(joins[s], streams[s]));
        STEPS_CHECK(cudaStreamWaitEvent(0, joins[s]));
    }
}

/* A piece per stream. */
#define FEWER_AND_LARGER(piece)                                                                              \
    {"streams1", launch_pieces<piece, 1, 1>}, {"streams2", launch_pieces<piece, 2, 2>},                      \
    {"streams4", launch_pieces<piece, 4, 4>}, {"streams8", launch_pieces<piece, 8, 8>},                      \
    {"streams16", launch_pieces<piece, 16, 16>}

/* Sixteen pieces in any case. */
#define ALL_SMALL(piece)                                                                                     \
    {"streams1", launch_pieces<piece, 16, 1>}, {"streams4", launch_pieces<piece, 16, 4>},                    \
    {"streams16", launch_pieces<piece, 16, 16>}

/* ------------------------------------------------------------------------------------------- transposes */

enum { TILE = 32, TILE_ROWS = 8 };

__global__ void strip_naive(float *out, const float *in, int n, int first)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = first + blockIdx.y * TILE_ROWS + threadIdx.y;
    if (x < n && y < n)
        out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

__global__ void strip_tiled(float *out, const float *in, int n, int first)
{
    __shared__ float tile[TILE][TILE + 1];
    int left = blockIdx.x * TILE, top = first + blockIdx.y * TILE, tx = threadIdx.x;
    for (int ty = threadIdx.y; ty < TILE; ty += TILE_ROWS)
        if (left + tx < n && top + ty < n)
            tile[ty][tx] = in[(size_t)(top + ty) * n + left + tx];
    __syncthreads();
    for (int ty = threadIdx.y; ty < TILE; ty += TILE_ROWS)
        if (top + tx < n && left + ty < n)
            out[(size_t)(left + ty) * n + top + tx] = tile[tx][ty];
}

/* A strip is some rows of tiles. */
static int strip_tiles(int pieces)
{
    return (int)steps_blocks(steps_blocks(n, TILE), pieces);
}

static void launch_strip_naive(int piece, int pieces, cudaStream_t stream)
{
    int tiles = strip_tiles(pieces);
    dim3 grid(steps_blocks(n, TILE), tiles * TILE / TILE_ROWS);
    strip_naive<<<grid, dim3(TILE, TILE_ROWS), 0, stream>>>(out.device, in.device, n, piece * tiles * TILE);
}

static void launch_strip_tiled(int piece, int pieces, cudaStream_t stream)
{
    int tiles = strip_tiles(pieces);
    dim3 grid(steps_blocks(n, TILE), tiles);
    strip_tiled<<<grid, dim3(TILE, TILE_ROWS), 0, stream>>>(out.device, in.device, n, piece * tiles * TILE);
}

static void prepare_matrix(int size)
{
    n = size;
    prepare((size_t)n * n);
}

static void transposed_reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[(size_t)x * n + y] = in.host[(size_t)y * n + x];
}

static const struct step streams_naive_steps[] = {FEWER_AND_LARGER(launch_strip_naive)};
const struct step_family streams_naive_family = {
    "streams_naive", streams_naive_steps, STEPS_COUNT(streams_naive_steps), 4096, 531, 0, prepare_matrix,
    finish, &out, transposed_reference};

static const struct step streams_tiled_steps[] = {FEWER_AND_LARGER(launch_strip_tiled)};
const struct step_family streams_tiled_family = {
    "streams_tiled", streams_tiled_steps, STEPS_COUNT(streams_tiled_steps), 4096, 531, 0, prepare_matrix,
    finish, &out, transposed_reference};

/* ------------------------------------------------------------------------------------------- arithmetic */

enum { BLOCK = 256, SHORT_CHAIN = 1024, LONG_CHAIN = 16384, SMALL_BLOCKS = 8 };

/* Comes to rest at 0.5 / (1 - 0.25 x), long before the chain ends. */
template <int LENGTH> __global__ void piece_of_arithmetic(float *out, const float *in, int n, int first)
{
    int i = first + blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float factor = in[i] * 0.25f, x = factor;
#pragma unroll 16
    for (int k = 0; k < LENGTH; k++)
        x = x * factor + 0.5f;
    out[i] = x;
}

template <int LENGTH> static void launch_arithmetic(int piece, int pieces, cudaStream_t stream)
{
    int blocks = (int)steps_blocks(n, BLOCK * pieces);
    piece_of_arithmetic<LENGTH>
        <<<blocks, BLOCK, 0, stream>>>(out.device, in.device, n, piece * blocks * BLOCK);
}

static void prepare_vector(int size)
{
    n = size;
    prepare(n);
}

static void arithmetic_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)(0.5 / (1.0 - in.host[i] * 0.25));
}

static const struct step streams_compute_steps[] = {FEWER_AND_LARGER(launch_arithmetic<SHORT_CHAIN>)};
const struct step_family streams_compute_family = {
    "streams_compute", streams_compute_steps, STEPS_COUNT(streams_compute_steps), 1 << 22, 10007, 1e-5,
    prepare_vector, finish, &out, arithmetic_reference};

/* Sixteen kernels of eight blocks: one of them leaves most of the GPU idle. */
static const struct step streams_small_steps[] = {ALL_SMALL(launch_arithmetic<LONG_CHAIN>)};
const struct step_family streams_small_family = {
    "streams_small", streams_small_steps, STEPS_COUNT(streams_small_steps), 16 * SMALL_BLOCKS * BLOCK,
    10007, 1e-5, prepare_vector, finish, &out, arithmetic_reference};

/* ------------------------------------------------------------------------------------------- small copies */

/* Eight blocks copy a sixteenth of an array that does not fit L2. */
__global__ void piece_of_copy(float *out, const float *in, int first, int last)
{
    for (int i = first + blockIdx.x * BLOCK + threadIdx.x; i < last; i += SMALL_BLOCKS * BLOCK)
        out[i] = in[i] + 1.0f;
}

static void launch_copy(int piece, int pieces, cudaStream_t stream)
{
    int share = (int)steps_blocks(n, pieces), first = piece * share,
        last = first + share < n ? first + share : n;
    piece_of_copy<<<SMALL_BLOCKS, BLOCK, 0, stream>>>(out.device, in.device, first, last);
}

static void copy_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = in.host[i] + 1.0f;
}

static const struct step streams_copy_steps[] = {ALL_SMALL(launch_copy)};
const struct step_family streams_copy_family = {
    "streams_copy", streams_copy_steps, STEPS_COUNT(streams_copy_steps), 1 << 24, 100003, 0,
    prepare_vector, finish, &out, copy_reference};
