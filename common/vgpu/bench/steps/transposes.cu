/* transposes.cu - rows become columns, where an element is no word: matrices of bytes and of doubles.
 * Tiles in shared memory have other banks then, and lines of memory other lengths. */
#include "steps.h"

typedef unsigned char byte;

enum { SIDE = 32, ROWS = 8 };

static int n;
static struct steps_array in, result, out; /* out only says how many */

static void finish(void)
{
    steps_free(&in);
    steps_free(&result);
}

/* Elements are whole numbers below 256, whatever their type. */
template <class T> static void prepare(int size)
{
    n = size;
    in = steps_array_of<T>((size_t)n * n);
    for (int i = 0; i < n * n; i++)
        ((T *)in.host)[i] = (T)(int)(steps_value(i, 231) * 256);
    steps_upload(&in);
    result = steps_array_of<T>((size_t)n * n);
    out.count = (size_t)n * n;
}

template <class T> static void reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[x * n + y] = (float)((T *)in.host)[y * n + x];
}

template <class T> static void collect(float *got)
{
    steps_collect<T>(got, &result, out.count);
}

/* ----------------------------------------------------------------------------------------- of any element */

/* A thread has SIDE / ROWS elements of a column of `in`, or of `out`. */
template <class T, bool READS_ROWS> __global__ void turn_plainly(T *out, const T *in, int n)
{
    int x = blockIdx.x * SIDE + threadIdx.x, first = blockIdx.y * SIDE + threadIdx.y;
    for (int y = first; y < first + SIDE; y += ROWS)
        if (x < n && y < n) {
            if (READS_ROWS)
                out[x * n + y] = in[y * n + x];
            else
                out[y * n + x] = in[x * n + y];
        }
}

/* Where element (y, x) of a tile lies. */
struct plain {
    enum { WIDTH = SIDE };
    static __device__ int place(int y, int x)
    {
        return y * SIDE + x;
    }
};

struct padded {
    enum { WIDTH = SIDE + 1 };
    static __device__ int place(int y, int x)
    {
        return y * WIDTH + x;
    }
};

struct swizzled {
    enum { WIDTH = SIDE };
    static __device__ int place(int y, int x)
    {
        return y * SIDE + (x ^ y);
    }
};

template <class T, class TILE> __global__ void turn_tile(T *out, const T *in, int n)
{
    __shared__ T tile[SIDE * TILE::WIDTH];
    int tx = threadIdx.x, x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
    for (int ty = threadIdx.y; ty < SIDE; ty += ROWS)
        if (x + tx < n && y + ty < n)
            tile[TILE::place(ty, tx)] = in[(y + ty) * n + x + tx];
    __syncthreads();
    for (int ty = threadIdx.y; ty < SIDE; ty += ROWS)
        if (y + tx < n && x + ty < n)
            out[(x + ty) * n + y + tx] = tile[TILE::place(tx, ty)];
}

template <class T, void (*KERNEL)(T *, const T *, int), int SHARE> static void launch_turn(void)
{
    KERNEL<<<dim3(steps_blocks(n, SHARE), steps_blocks(n, SHARE)), dim3(SIDE, ROWS)>>>(
        (T *)result.device, (const T *)in.device, n);
}

/* ------------------------------------------------------------------------------------- four bytes at once */

/* Byte `which` of four words. */
__device__ static unsigned gather_bytes(const unsigned *words, int which)
{
    unsigned low = __byte_perm(words[0], words[1], which | (which + 4) << 4),
             high = __byte_perm(words[2], words[3], which | (which + 4) << 4);
    return __byte_perm(low, high, 0x5410);
}

/* A thread turns 4 x 4 bytes in registers; a tile is 32 x 32 such pieces, of which a thread has four. */
__global__ void turn_pieces(byte *out, const byte *in, int n)
{
    __shared__ unsigned tile[4][SIDE][SIDE + 1]; /* [byte of the piece][its column][its row] */
    int words = n / 4, tx = threadIdx.x, x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
    for (int ty = threadIdx.y; ty < SIDE; ty += ROWS) {
        unsigned rows[4];
        if (x + tx >= words || y + ty >= words)
            continue;
#pragma unroll
        for (int k = 0; k < 4; k++)
            rows[k] = ((const unsigned *)in)[((y + ty) * 4 + k) * words + x + tx];
#pragma unroll
        for (int k = 0; k < 4; k++)
            tile[k][tx][ty] = gather_bytes(rows, k);
    }
    __syncthreads();
    for (int ty = threadIdx.y; ty < SIDE; ty += ROWS)
        for (int k = 0; k < 4; k++)
            if (y + tx < words && x + ty < words)
                ((unsigned *)out)[((x + ty) * 4 + k) * words + y + tx] = tile[k][ty][tx];
}

/* ------------------------------------------------------------------------------------------- the families */

static const struct step transpose_bytes_steps[] = {
    {"read_rows", launch_turn<byte, turn_plainly<byte, true>, SIDE>},
    {"write_rows", launch_turn<byte, turn_plainly<byte, false>, SIDE>},
    {"tile", launch_turn<byte, turn_tile<byte, plain>, SIDE>},
    {"pieces", launch_turn<byte, turn_pieces, 4 * SIDE>, 4},
};
const struct step_family transpose_bytes_family = {
    "transpose_bytes", transpose_bytes_steps, STEPS_COUNT(transpose_bytes_steps), 8192, 301, 0, prepare<byte>,
    finish, &out, reference<byte>, collect<byte>};

static const struct step transpose_doubles_steps[] = {
    {"read_rows", launch_turn<double, turn_plainly<double, true>, SIDE>},
    {"write_rows", launch_turn<double, turn_plainly<double, false>, SIDE>},
    {"tile", launch_turn<double, turn_tile<double, plain>, SIDE>},
    {"padded", launch_turn<double, turn_tile<double, padded>, SIDE>},
    {"swizzled", launch_turn<double, turn_tile<double, swizzled>, SIDE>},
};
const struct step_family transpose_doubles_family = {
    "transpose_doubles", transpose_doubles_steps, STEPS_COUNT(transpose_doubles_steps), 4096, 301, 0,
    prepare<double>, finish, &out, reference<double>, collect<double>};
