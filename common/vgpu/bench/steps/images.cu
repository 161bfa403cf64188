/* images.cu - pictures of n x n pixels with a byte per channel: grey from colours, edges
 * (Sobel), a box blur, and turning.
 * Bytes are what differs from arrays of floats: how many of them a thread reads and writes at once. */
#include "steps.h"

#include <cmath>

typedef unsigned char byte;

enum { SIDE_X = 32, SIDE_Y = 8, BLOCK = SIDE_X * SIDE_Y };

static int n;
static struct steps_array in, other, result, out; /* of bytes, but for out, which only says how many */

/* Pictures with `from` and `to` channels. */
static void prepare_channels(int size, int from, int to)
{
    size_t pixels = (size_t)size * size;
    n = size;
    in = steps_array_of<byte>(pixels * from);
    other = steps_array_of<byte>(pixels * from);
    for (size_t i = 0; i < pixels * from; i++) {
        ((byte *)in.host)[i] = (byte)(steps_value(i, 111) * 256);
        ((byte *)other.host)[i] = (byte)(steps_value(i, 112) * 256);
    }
    steps_upload(&in);
    steps_upload(&other);
    result = steps_array_of<byte>(pixels * to);
    out.count = pixels * to;
}

template <int FROM, int TO> static void prepare(int size)
{
    prepare_channels(size, FROM, TO);
}

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &result})
        steps_free(array);
}

static void collect(float *got)
{
    steps_collect<byte>(got, &result, out.count);
}

typedef void picture_kernel(byte *out, const byte *in, int n);

/* A thread has EACH pixels of a row. */
template <picture_kernel *KERNEL, int X, int Y, int EACH> static void launch_picture(void)
{
    KERNEL<<<dim3(steps_blocks(n, X * EACH), steps_blocks(n, Y)), dim3(X, Y)>>>((byte *)result.device,
                                                                                (const byte *)in.device, n);
}

__host__ __device__ static int clamp_to(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* -------------------------------------------------------------------------------------- grey from colours */

/* In whole numbers: the same everywhere. */
__host__ __device__ static byte grey_of(int red, int green, int blue)
{
    return (byte)((77 * red + 150 * green + 29 * blue) >> 8);
}

/* Three bytes a pixel, one after another. */
__global__ void grey_bytes(byte *out, const byte *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x < n && y < n) {
        const byte *pixel = in + 3 * (y * n + x);
        out[y * n + x] = grey_of(pixel[0], pixel[1], pixel[2]);
    }
}

/* The block's bytes come as words; BLOCK pixels are 3 BLOCK / 4 words. */
__global__ void grey_staged(byte *out, const byte *in, int n)
{
    __shared__ unsigned words[BLOCK * 3 / 4];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, first = blockIdx.x * BLOCK * 3 / 4;
    if (t < BLOCK * 3 / 4 && 4 * (first + t) < 3 * n * n)
        words[t] = ((const unsigned *)in)[first + t];
    __syncthreads();
    const byte *pixel = (const byte *)words + 3 * t;
    if (i < n * n)
        out[i] = grey_of(pixel[0], pixel[1], pixel[2]);
}

__device__ static unsigned byte_of(unsigned word, int k)
{
    return word >> 8 * k & 255;
}

/* Four pixels: three words in, one out. */
__global__ void grey_words(byte *out, const byte *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n * n / 4)
        return;
    unsigned word[3], grey = 0;
    for (int k = 0; k < 3; k++)
        word[k] = ((const unsigned *)in)[3 * i + k];
#pragma unroll
    for (int k = 0; k < 4; k++)
        grey |= (unsigned)grey_of(byte_of(word[3 * k / 4], 3 * k % 4),
                                  byte_of(word[(3 * k + 1) / 4], (3 * k + 1) % 4),
                                  byte_of(word[(3 * k + 2) / 4], (3 * k + 2) % 4))
                << 8 * k;
    ((unsigned *)out)[i] = grey;
}

template <picture_kernel *KERNEL, int EACH> static void launch_line(void)
{
    KERNEL<<<steps_blocks((size_t)n * n / EACH, BLOCK), BLOCK>>>((byte *)result.device,
                                                                 (const byte *)in.device, n);
}

static void grey_reference(float *expected)
{
    const byte *pixel = (const byte *)in.host;
    for (int i = 0; i < n * n; i++, pixel += 3)
        expected[i] = grey_of(pixel[0], pixel[1], pixel[2]);
}

static const struct step grey_steps[] = {
    {"bytes", launch_picture<grey_bytes, SIDE_X, SIDE_Y, 1>},
    {"staged", launch_line<grey_staged, 1>, 4},
    {"words", launch_line<grey_words, 4>, 4},
};
const struct step_family grey_family = {
    "grey", grey_steps, STEPS_COUNT(grey_steps), 4096, 101, 0, prepare<3, 1>, finish, &out, grey_reference,
    collect};

/* ------------------------------------------------------------------------------------------ edges (Sobel) */

/* of(dx, dy) is the pixel so far from the middle. */
template <class NEAR> __host__ __device__ static byte edge_of(NEAR of)
{
    int across = of(1, -1) + 2 * of(1, 0) + of(1, 1) - of(-1, -1) - 2 * of(-1, 0) - of(-1, 1);
    int down = of(-1, 1) + 2 * of(0, 1) + of(1, 1) - of(-1, -1) - 2 * of(0, -1) - of(1, -1);
    int sum = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    return (byte)(sum > 255 ? 255 : sum);
}

/* The pixels around one. */
struct neighbours {
    const byte *in;
    int x, y, n;
    __host__ __device__ int operator()(int dx, int dy) const
    {
        return in[clamp_to(y + dy, n) * n + clamp_to(x + dx, n)];
    }
};

__global__ void edges_global(byte *out, const byte *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = edge_of(neighbours{in, x, y, n});
}

__global__ void edges_shared(byte *out, const byte *in, int n)
{
    __shared__ byte tile[SIDE_Y + 2][SIDE_X + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * SIDE_X + tx, y = blockIdx.y * SIDE_Y + ty;
    for (int row = ty; row < SIDE_Y + 2; row += SIDE_Y)
        for (int column = tx; column < SIDE_X + 2; column += SIDE_X)
            tile[row][column] = in[clamp_to(y - ty + row - 1, n) * n + clamp_to(x - tx + column - 1, n)];
    __syncthreads();
    if (x < n && y < n)
        out[y * n + x] = edge_of([=](int dx, int dy) { return (int)tile[ty + 1 + dy][tx + 1 + dx]; });
}

/* Six pixels of a row, of which the middle four are one word. */
__device__ static void read_six(int *six, const byte *in, int x, int y, int n)
{
    const byte *row = in + clamp_to(y, n) * n;
    unsigned word = *(const unsigned *)&row[x];
    six[0] = row[clamp_to(x - 1, n)];
    for (int k = 0; k < 4; k++)
        six[k + 1] = byte_of(word, k);
    six[5] = row[clamp_to(x + 4, n)];
}

__global__ void edges_words(byte *out, const byte *in, int n)
{
    int x = (blockIdx.x * SIDE_X + threadIdx.x) * 4, y = blockIdx.y * SIDE_Y + threadIdx.y, rows[3][6];
    if (x >= n || y >= n)
        return;
    for (int dy = 0; dy < 3; dy++)
        read_six(rows[dy], in, x, y + dy - 1, n);
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        word |= (unsigned)edge_of([&](int dx, int dy) { return rows[dy + 1][k + 1 + dx]; }) << 8 * k;
    *(unsigned *)&out[y * n + x] = word;
}

static void edges_reference(float *expected)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[y * n + x] = edge_of(neighbours{(const byte *)in.host, x, y, n});
}

static const struct step edges_steps[] = {
    {"global", launch_picture<edges_global, 16, 16, 1>},
    {"wide", launch_picture<edges_global, 256, 1, 1>},
    {"shared", launch_picture<edges_shared, SIDE_X, SIDE_Y, 1>},
    {"words", launch_picture<edges_words, SIDE_X, SIDE_Y, 4>, 4},
};
const struct step_family edges_family = {
    "edges", edges_steps, STEPS_COUNT(edges_steps), 4096, 101, 0, prepare<1, 1>, finish, &out,
    edges_reference, collect};

/* ----------------------------------------------------------------------------------------------- box blur */

enum { RADIUS = 5, WIDTH = 2 * RADIUS + 1, STRIP = 64 };

__host__ __device__ static byte mean_of(int sum)
{
    return (byte)(sum / (WIDTH * WIDTH));
}

__global__ void blur_whole(byte *out, const byte *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y, sum = 0;
    if (x >= n || y >= n)
        return;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            sum += in[clamp_to(y + dy, n) * n + clamp_to(x + dx, n)];
    out[y * n + x] = mean_of(sum);
}

/* Rows first, into sums of 16 bits; then columns of these. */
__global__ void blur_rows(unsigned short *sums, const byte *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y, sum = 0;
    if (x >= n || y >= n)
        return;
    for (int dx = -RADIUS; dx <= RADIUS; dx++)
        sum += in[y * n + clamp_to(x + dx, n)];
    sums[y * n + x] = (unsigned short)sum;
}

__global__ void blur_columns(byte *out, const unsigned short *sums, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y, sum = 0;
    if (x >= n || y >= n)
        return;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        sum += sums[clamp_to(y + dy, n) * n + x];
    out[y * n + x] = mean_of(sum);
}

/* A thread walks down a strip: a row comes in, and another leaves. */
__global__ void blur_strips(byte *out, const unsigned short *sums, int n)
{
    int x = blockIdx.x * BLOCK + threadIdx.x, first = blockIdx.y * STRIP, sum = 0;
    if (x >= n)
        return;
    for (int dy = -RADIUS; dy < RADIUS; dy++)
        sum += sums[clamp_to(first + dy, n) * n + x];
    for (int y = first; y < first + STRIP && y < n; y++) {
        sum += sums[clamp_to(y + RADIUS, n) * n + x];
        out[y * n + x] = mean_of(sum);
        sum -= sums[clamp_to(y - RADIUS, n) * n + x];
    }
}

/* Both in one kernel: the rows' sums of a tile and its surroundings lie in shared memory. */
__global__ void blur_tile(byte *out, const byte *in, int n)
{
    enum { ROWS = 4 * SIDE_Y };
    __shared__ unsigned short sums[ROWS + 2 * RADIUS][SIDE_X];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * SIDE_X + tx, y = blockIdx.y * ROWS;
    for (int row = ty; row < ROWS + 2 * RADIUS; row += SIDE_Y) {
        int sum = 0;
        for (int dx = -RADIUS; dx <= RADIUS; dx++)
            sum += in[clamp_to(y + row - RADIUS, n) * n + clamp_to(x + dx, n)];
        sums[row][tx] = (unsigned short)sum;
    }
    __syncthreads();
    for (int row = ty; row < ROWS && y + row < n && x < n; row += SIDE_Y) {
        int sum = 0;
        for (int dy = 0; dy < WIDTH; dy++)
            sum += sums[row + dy][tx];
        out[(y + row) * n + x] = mean_of(sum);
    }
}

static dim3 picture_grid(void)
{
    return dim3(steps_blocks(n, SIDE_X), steps_blocks(n, SIDE_Y));
}

static struct steps_array row_sums;

static void launch_row_sums(void)
{
    blur_rows<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>((unsigned short *)row_sums.device,
                                                        (const byte *)in.device, n);
}

static void launch_blur_separable(void)
{
    launch_row_sums();
    blur_columns<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>((byte *)result.device,
                                                           (const unsigned short *)row_sums.device, n);
}

static void launch_blur_strips(void)
{
    launch_row_sums();
    blur_strips<<<dim3(steps_blocks(n, BLOCK), steps_blocks(n, STRIP)), BLOCK>>>(
        (byte *)result.device, (const unsigned short *)row_sums.device, n);
}

static void launch_blur_tile(void)
{
    blur_tile<<<dim3(steps_blocks(n, SIDE_X), steps_blocks(n, 4 * SIDE_Y)), dim3(SIDE_X, SIDE_Y)>>>(
        (byte *)result.device, (const byte *)in.device, n);
}

static void prepare_blur(int size)
{
    prepare<1, 1>(size);
    row_sums = steps_array_of<unsigned short>((size_t)n * n);
}

static void finish_blur(void)
{
    finish();
    steps_free(&row_sums);
}

static void blur_reference(float *expected)
{
    const byte *pixels = (const byte *)in.host;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int dy = -RADIUS; dy <= RADIUS; dy++)
                for (int dx = -RADIUS; dx <= RADIUS; dx++)
                    sum += pixels[clamp_to(y + dy, n) * n + clamp_to(x + dx, n)];
            expected[y * n + x] = mean_of(sum);
        }
}

static const struct step box_blur_steps[] = {
    {"whole", launch_picture<blur_whole, SIDE_X, SIDE_Y, 1>},
    {"separable", launch_blur_separable},
    {"strips", launch_blur_strips},
    {"tile", launch_blur_tile},
};
const struct step_family box_blur_family = {
    "box_blur", box_blur_steps, STEPS_COUNT(box_blur_steps), 2048, 101, 0, prepare_blur, finish_blur, &out,
    blur_reference, collect};

/* ---------------------------------------------------------------------------------------- turned pictures */

/* About a third of a right angle, in fixed point: where pixel (x, y) comes from, or -1. */
__host__ __device__ static int turned_from(int x, int y, int n)
{
    const int cosine = 57052, sine = 32250; /* of 65536 */
    int dx = x - n / 2, dy = y - n / 2;
    int column = (int)(((long long)dx * cosine - (long long)dy * sine) >> 16) + n / 2;
    int row = (int)(((long long)dx * sine + (long long)dy * cosine) >> 16) + n / 2;
    return column < 0 || column >= n || row < 0 || row >= n ? -1 : row * n + column;
}

/* Whole pixels of four bytes. */
__global__ void turn(byte *out, const byte *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int from = turned_from(x, y, n);
    ((uchar4 *)out)[y * n + x] = from < 0 ? make_uchar4(0, 0, 0, 0) : ((const uchar4 *)in)[from];
}

static void turn_reference(float *expected)
{
    const byte *pixels = (const byte *)in.host;
    for (int i = 0; i < n * n; i++)
        for (int k = 0, from = turned_from(i % n, i / n, n); k < 4; k++)
            expected[4 * i + k] = from < 0 ? 0 : pixels[4 * from + k];
}

static const struct step turn_steps[] = {
    {"wide", launch_picture<turn, 256, 1, 1>},   {"tall", launch_picture<turn, 1, 256, 1>},
    {"flat", launch_picture<turn, 32, 8, 1>},    {"square", launch_picture<turn, 16, 16, 1>},
    {"upright", launch_picture<turn, 8, 32, 1>},
};
const struct step_family turn_family = {
    "turn", turn_steps, STEPS_COUNT(turn_steps), 4096, 101, 0, prepare<4, 4>, finish, &out, turn_reference,
    collect};
