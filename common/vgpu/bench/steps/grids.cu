/* grids.cu - worlds that change step by step: the game of life on bytes, heat along a line,
 * and two substances that react (Gray-Scott).
 * All worlds are rings: what leaves at one side comes in at the other. */
#include "steps.h"

#include <cmath>

typedef unsigned char byte;

enum { BLOCK = 256 };

static int n;
static struct steps_array in, other, out, spare;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out, &spare})
        steps_free(array);
}

__host__ __device__ static int before(int i, int n)
{
    return i > 0 ? i - 1 : n - 1;
}

__host__ __device__ static int after(int i, int n)
{
    return i < n - 1 ? i + 1 : 0;
}

template <int X, int Y> static dim3 plane_grid(void)
{
    return dim3(steps_blocks(n, X), steps_blocks(n, Y));
}

/* --------------------------------------------------------------------------------------- the game of life */

static struct steps_array cells; /* what `out` counts, as bytes */

__host__ __device__ static byte live_on(int is_alive, int neighbours)
{
    return neighbours == 3 || (is_alive && neighbours == 2);
}

__host__ __device__ static byte next_cell(const byte *in, int x, int y, int n)
{
    const byte *rows[3] = {in + before(y, n) * n, in + y * n, in + after(y, n) * n};
    int left = before(x, n), right = after(x, n), count = 0;
    for (int k = 0; k < 3; k++)
        count += rows[k][left] + rows[k][x] + rows[k][right];
    return live_on(rows[1][x], count - rows[1][x]);
}

__global__ void live_bytes(byte *out, const byte *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = next_cell(in, x, y, n);
}

__global__ void live_shared(byte *out, const byte *in, int n)
{
    enum { X = 32, Y = 8 };
    __shared__ byte tile[Y + 2][X + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * X, y0 = blockIdx.y * Y;
    for (int i = ty * X + tx; i < (X + 2) * (Y + 2); i += X * Y) {
        int row = i / (X + 2), column = i % (X + 2);
        tile[row][column] = in[(y0 + row - 1 + n) % n * n + (x0 + column - 1 + n) % n];
    }
    __syncthreads();
    int count = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            count += tile[ty + dy][tx + dx];
    int own = tile[ty + 1][tx + 1];
    if (x0 + tx < n && y0 + ty < n)
        out[(y0 + ty) * n + x0 + tx] = live_on(own, count - own);
}

/* Four cells in a word, added up all at once: no sum of nine leaves its byte. */
__global__ void live_words(byte *out, const byte *in, int n)
{
    int words = n / 4, x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= n)
        return;
    const unsigned *all = (const unsigned *)in;
    int rows[3] = {before(y, n), y, after(y, n)};
    unsigned count = 0, own = 0, next = 0;
    for (int k = 0; k < 3; k++) {
        const unsigned *row = all + rows[k] * words;
        unsigned left = row[before(x, words)], here = row[x], right = row[after(x, words)];
        count += here + __funnelshift_l(left, here, 8) + __funnelshift_r(here, right, 8);
        own = k == 1 ? here : own;
    }
    count -= own;
    for (int k = 0; k < 32; k += 8)
        next |= (unsigned)live_on(own >> k & 255, count >> k & 255) << k;
    ((unsigned *)out)[y * words + x] = next;
}

template <void (*KERNEL)(byte *, const byte *, int), int X, int Y, int EACH> static void launch_life(void)
{
    KERNEL<<<plane_grid<X * EACH, Y>(), dim3(X, Y)>>>((byte *)cells.device, (const byte *)in.device, n);
}

static void prepare_life(int size)
{
    n = size;
    in = steps_array_of<byte>((size_t)n * n);
    for (int i = 0; i < n * n; i++)
        ((byte *)in.host)[i] = steps_value(i, 151) < 0.35f;
    steps_upload(&in);
    cells = steps_array_of<byte>((size_t)n * n);
    out.count = (size_t)n * n;
}

static void finish_life(void)
{
    finish();
    steps_free(&cells);
}

static void life_reference(float *expected)
{
    for (int i = 0; i < n * n; i++)
        expected[i] = next_cell((const byte *)in.host, i % n, i / n, n);
}

static void collect_life(float *got)
{
    steps_collect<byte>(got, &cells, out.count);
}

static const struct step life_steps[] = {
    {"square", launch_life<live_bytes, 16, 16, 1>},
    {"wide", launch_life<live_bytes, 256, 1, 1>},
    {"shared", launch_life<live_shared, 32, 8, 1>},
    {"words", launch_life<live_words, 32, 8, 4>, 4},
};
const struct step_family life_family = {
    "life", life_steps, STEPS_COUNT(life_steps), 8192, 101, 0, prepare_life, finish_life, &out,
    life_reference, collect_life};

/* -------------------------------------------------------------------------------------- heat along a line */

enum { TIMES = 8 }; /* steps */

__host__ __device__ static float warm(float left, float own, float right)
{
    return own + 0.25f * (left - 2 * own + right);
}

__global__ void heat_once(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = warm(in[before(i, n)], in[i], in[after(i, n)]);
}

/* All steps in one kernel: a block begins TIMES cells wider at each side, and gets narrower by one each
 * step. */
__global__ void heat_in_shared(float *out, const float *in, int n)
{
    __shared__ float x[2][BLOCK + 2];
    int t = threadIdx.x, first = blockIdx.x * (BLOCK - 2 * TIMES) - TIMES, now = 0;
    x[0][t + 1] = in[(first + t + n) % n];
    for (int k = 0; k < TIMES; k++, now ^= 1) {
        __syncthreads();
        if (t > k && t < BLOCK - 1 - k)
            x[now ^ 1][t + 1] = warm(x[now][t], x[now][t + 1], x[now][t + 2]);
    }
    if (t >= TIMES && t < BLOCK - TIMES && first + t < n)
        out[first + t] = x[now][t + 1];
}

/* The same by a warp: neighbours come by shuffles. */
__global__ void heat_in_warps(float *out, const float *in, int n)
{
    enum { LANES = 32 };
    int lane = threadIdx.x % LANES, warp = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    int i = warp * (LANES - 2 * TIMES) - TIMES + lane;
    float own = in[(i + n) % n];
    for (int k = 0; k < TIMES; k++)
        own = warm(__shfl_up_sync(~0u, own, 1), own, __shfl_down_sync(~0u, own, 1));
    if (lane >= TIMES && lane < LANES - TIMES && i < n)
        out[i] = own;
}

/* And by threads alone: eight cells each, of 24 in registers. */
__global__ void heat_in_registers(float *out, const float *in, int n)
{
    enum { EACH = 8, ALL = EACH + 2 * TIMES };
    int first = (blockIdx.x * BLOCK + threadIdx.x) * EACH - TIMES;
    float x[ALL];
    if (first + TIMES >= n)
        return;
#pragma unroll
    for (int k = 0; k < ALL; k++)
        x[k] = in[(first + k + n) % n];
#pragma unroll
    for (int step = 0; step < TIMES; step++) {
        float last = x[step];
#pragma unroll
        for (int k = step + 1; k < ALL - 1 - step; k++) {
            float next = warm(last, x[k], x[k + 1]);
            last = x[k];
            x[k] = next;
        }
    }
#pragma unroll
    for (int k = TIMES; k < ALL - TIMES; k++)
        if (first + k < n)
            out[first + k] = x[k];
}

static void launch_heat_often(void)
{
    const float *from = in.device;
    float *to[2] = {spare.device, out.device};
    for (int k = 0; k < TIMES; k++, from = to[(k + 1) % 2])
        heat_once<<<steps_blocks(n, BLOCK), BLOCK>>>(to[k % 2], from, n);
}

template <void (*KERNEL)(float *, const float *, int), int CELLS> static void launch_heat(void)
{
    KERNEL<<<steps_blocks(n, CELLS), BLOCK>>>(out.device, in.device, n);
}

static void prepare_heat(int size)
{
    n = size;
    in = steps_input(n, 152);
    out = steps_output(n);
    spare = steps_output(n);
}

static void heat_reference(float *expected)
{
    float *now = (float *)malloc(n * sizeof(float));
    if (!now)
        exit(2);
    for (int i = 0; i < n; i++)
        expected[i] = in.host[i];
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < n; i++)
            now[i] = expected[i];
        for (int i = 0; i < n; i++)
            expected[i] = warm(now[before(i, n)], now[i], now[after(i, n)]);
    }
    free(now);
}

static const struct step heat_steps[] = {
    {"kernel_per_step", launch_heat_often},
    {"shared", launch_heat<heat_in_shared, BLOCK - 2 * TIMES>},
    {"warps", launch_heat<heat_in_warps, BLOCK / 2>},
    {"registers", launch_heat<heat_in_registers, BLOCK * 8>},
};
const struct step_family heat_family = {
    "heat", heat_steps, STEPS_COUNT(heat_steps), 1 << 23, 5003, 1e-5, prepare_heat, finish, &out,
    heat_reference};

/* ----------------------------------------------------------------------------------------- two substances */

__host__ __device__ static float around(const float *a, int x, int y, int n)
{
    return a[y * n + before(x, n)] + a[y * n + after(x, n)] + a[before(y, n) * n + x] +
           a[after(y, n) * n + x];
}

/* The second of them is what comes out. */
__host__ __device__ static float2 react(float2 own, float2 near)
{
    float eaten = own.x * own.y * own.y;
    return make_float2(own.x + 0.2f * (near.x - 4 * own.x) - eaten + 0.04f * (1 - own.x),
                       own.y + 0.1f * (near.y - 4 * own.y) + eaten - 0.1f * own.y);
}

__host__ __device__ static float2 react_at(const float *u, const float *v, int x, int y, int n)
{
    return react(make_float2(u[y * n + x], v[y * n + x]),
                 make_float2(around(u, x, y, n), around(v, x, y, n)));
}

__global__ void react_planes(float *out_u, float *out_v, const float *u, const float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float2 next = react_at(u, v, x, y, n);
    out_u[y * n + x] = next.x;
    out_v[y * n + x] = next.y;
}

/* A thread goes down eight rows, and keeps three of them in registers. */
__global__ void react_columns(float *out_u, float *out_v, const float *u, const float *v, int n)
{
    enum { ROWS = 8 };
    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * ROWS, left = before(x, n), right = after(x, n);
    if (x >= n)
        return;
    float2 above = make_float2(u[before(y, n) * n + x], v[before(y, n) * n + x]),
           own = make_float2(u[y * n + x], v[y * n + x]);
    for (int end = min(y + ROWS, n); y < end; y++) {
        int under = after(y, n) * n;
        float2 below = make_float2(u[under + x], v[under + x]);
        float2 near = make_float2(u[y * n + left] + u[y * n + right] + above.x + below.x,
                                  v[y * n + left] + v[y * n + right] + above.y + below.y);
        float2 next = react(own, near);
        out_u[y * n + x] = next.x;
        out_v[y * n + x] = next.y;
        above = own;
        own = below;
    }
}

template <void (*KERNEL)(float *, float *, const float *, const float *, int), int X, int Y, int ROWS>
static void launch_react(void)
{
    KERNEL<<<plane_grid<X, Y * ROWS>(), dim3(X, Y)>>>(spare.device, out.device, in.device, other.device, n);
}

static void prepare_react(int size)
{
    n = size;
    in = steps_input((size_t)n * n, 153);
    other = steps_input((size_t)n * n, 154);
    out = steps_output((size_t)n * n);
    spare = steps_output((size_t)n * n);
}

static void react_reference(float *expected)
{
    for (int i = 0; i < n * n; i++)
        expected[i] = react_at(in.host, other.host, i % n, i / n, n).y;
}

static const struct step reaction_steps[] = {
    {"upright", launch_react<react_planes, 8, 32, 1>},
    {"square", launch_react<react_planes, 16, 16, 1>},
    {"flat", launch_react<react_planes, 64, 4, 1>},
    {"columns", launch_react<react_columns, BLOCK, 1, 8>},
};
const struct step_family reaction_family = {
    "reaction", reaction_steps, STEPS_COUNT(reaction_steps), 4096, 101, 1e-4, prepare_react, finish, &out,
    react_reference};
