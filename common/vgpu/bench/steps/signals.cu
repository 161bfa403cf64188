/* signals.cu - signals in other words: Fourier and Walsh-Hadamard transforms of 1024 points, and cosines of
 * 8 x 8 pixels.
 * Who keeps a signal while it is transformed: global memory, shared memory, or the registers of a warp. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256, LANES = 32, POINTS = 1024, BITS = 10 };

static int n;
static struct steps_array in, out, table;

static void finish(void)
{
    for (struct steps_array *array : {&in, &out, &table})
        steps_free(array);
}

typedef void signal_kernel(float *out, const float *in, const float *table, int n);

/* A block of THREADS has SHARE signals. */
template <signal_kernel *KERNEL, int SHARE, int THREADS> static void launch_signals(void)
{
    KERNEL<<<steps_blocks(n, SHARE), THREADS>>>(out.device, in.device, table.device, n);
}

/* ------------------------------------------------------------------------------------------------ Fourier */

__device__ static float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ static float2 plus(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ static float2 minus(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ static int reversed(int i)
{
    return (int)(__brev((unsigned)i) >> (32 - BITS));
}

/* exp(-2 pi i k / POINTS), computed or looked up. */
struct computed {
    static __device__ float2 root(const float2 *, int k)
    {
        float2 w;
        sincospif(-2.0f / POINTS * k, &w.y, &w.x);
        return w;
    }
};

struct looked_up {
    static __device__ float2 root(const float2 *table, int k)
    {
        return table[k];
    }
};

__device__ static void cross(float2 *x, int i, int half, float2 root)
{
    float2 here = x[i], there = times(x[i + half], root);
    x[i] = plus(here, there);
    x[i + half] = minus(here, there);
}

/* A block has a signal, a thread one butterfly of each of ten rounds. */
template <class ROOTS> __global__ void fourier_twos(float *out, const float *in, const float *table, int)
{
    __shared__ float2 x[POINTS];
    int t = threadIdx.x;
    const float2 *from = (const float2 *)in + (size_t)blockIdx.x * POINTS;
    float2 *to = (float2 *)out + (size_t)blockIdx.x * POINTS;
    for (int i = t; i < POINTS; i += POINTS / 2)
        x[reversed(i)] = from[i];
    for (int half = 1; half < POINTS; half *= 2) {
        __syncthreads();
        int k = t % half;
        cross(x, t / half * 2 * half + k, half, ROOTS::root((const float2 *)table, k * (POINTS / 2 / half)));
    }
    __syncthreads();
    for (int i = t; i < POINTS; i += POINTS / 2)
        to[i] = x[i];
}

/* Pairs of bits change places, and each pair turns round: digits of base four are reversed. */
__device__ static int reversed_fours(int i)
{
    int r = reversed(i);
    return (r & 0x155) << 1 | (r >> 1 & 0x155);
}

/* Four points and five rounds. */
__global__ void fourier_fours(float *out, const float *in, const float *table, int)
{
    __shared__ float2 x[POINTS];
    int t = threadIdx.x;
    const float2 *from = (const float2 *)in + (size_t)blockIdx.x * POINTS, *root = (const float2 *)table;
    float2 *to = (float2 *)out + (size_t)blockIdx.x * POINTS;
    for (int i = t; i < POINTS; i += POINTS / 4)
        x[reversed_fours(i)] = from[i];
    for (int part = 1; part < POINTS; part *= 4) {
        __syncthreads();
        int k = t % part, turn = k * (POINTS / 4 / part);
        float2 *own = x + t / part * 4 * part + k;
        float2 a = own[0], b = times(own[part], root[turn]), c = times(own[2 * part], root[2 * turn]),
               d = times(own[3 * part], root[3 * turn]);
        float2 even = plus(a, c), odd = minus(a, c), sum = plus(b, d), rest = minus(b, d);
        own[0] = plus(even, sum);
        own[part] = make_float2(odd.x + rest.y, odd.y - rest.x);
        own[2 * part] = minus(even, sum);
        own[3 * part] = make_float2(odd.x - rest.y, odd.y + rest.x);
    }
    __syncthreads();
    for (int i = t; i < POINTS; i += POINTS / 4)
        to[i] = x[i];
}

__global__ void reverse_all(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n * POINTS)
        ((float2 *)out)[i / POINTS * POINTS + reversed(i % POINTS)] = ((const float2 *)in)[i];
}

/* One round in global memory. */
__global__ void cross_all(float *x, const float *table, int half, int n)
{
    int t = blockIdx.x * BLOCK + threadIdx.x, k = t % half;
    if (t < n * POINTS / 2)
        cross((float2 *)x, t / half * 2 * half + k, half, ((const float2 *)table)[k * (POINTS / 2 / half)]);
}

static void launch_rounds(void)
{
    reverse_all<<<steps_blocks((size_t)n * POINTS, BLOCK), BLOCK>>>(out.device, in.device, n);
    for (int half = 1; half < POINTS; half *= 2)
        cross_all<<<steps_blocks((size_t)n * POINTS / 2, BLOCK), BLOCK>>>(out.device, table.device, half, n);
}

static void prepare_fourier(int size)
{
    n = size;
    in = steps_input((size_t)n * POINTS * 2, 161);
    out = steps_output(in.count);
    table = steps_array_of<float2>(POINTS);
    for (int k = 0; k < POINTS; k++) {
        table.host[2 * k] = (float)cos(2 * M_PI * k / POINTS);
        table.host[2 * k + 1] = (float)-sin(2 * M_PI * k / POINTS);
    }
    steps_upload(&table);
}

/* By definition. */
static void fourier_reference(float *expected)
{
    for (int signal = 0; signal < n; signal++)
        for (int k = 0; k < POINTS; k++) {
            const float *x = in.host + (size_t)signal * POINTS * 2;
            double real = 0, imaginary = 0;
            for (int i = 0; i < POINTS; i++) {
                const float *root = table.host + 2 * (i * k % POINTS);
                real += (double)x[2 * i] * root[0] - (double)x[2 * i + 1] * root[1];
                imaginary += (double)x[2 * i] * root[1] + (double)x[2 * i + 1] * root[0];
            }
            expected[2 * (signal * POINTS + k)] = (float)real;
            expected[2 * (signal * POINTS + k) + 1] = (float)imaginary;
        }
}

static const struct step fourier_steps[] = {
    {"rounds", launch_rounds},
    {"twos_computed", launch_signals<fourier_twos<computed>, 1, POINTS / 2>},
    {"twos", launch_signals<fourier_twos<looked_up>, 1, POINTS / 2>},
    {"fours", launch_signals<fourier_fours, 1, POINTS / 4>},
};
const struct step_family fourier_family = {
    "fourier", fourier_steps, STEPS_COUNT(fourier_steps), 1 << 13, 5, 2e-3, prepare_fourier, finish, &out,
    fourier_reference};

/* ---------------------------------------------------------------------------------------- Walsh-Hadamard */

/* Every round through shared memory. */
__global__ void walsh_shared(float *out, const float *in, const float *, int)
{
    __shared__ float x[POINTS];
    int t = threadIdx.x, first = blockIdx.x * POINTS;
    for (int i = t; i < POINTS; i += POINTS / 2)
        x[i] = in[first + i];
    for (int half = 1; half < POINTS; half *= 2) {
        __syncthreads();
        int i = t / half * 2 * half + t % half;
        float here = x[i], there = x[i + half];
        x[i] = here + there;
        x[i + half] = here - there;
    }
    __syncthreads();
    for (int i = t; i < POINTS; i += POINTS / 2)
        out[first + i] = x[i];
}

__device__ static float walsh_of_warp(float x)
{
    int lane = threadIdx.x % LANES;
    for (int half = 1; half < LANES; half *= 2) {
        float there = __shfl_xor_sync(~0u, x, half);
        x = lane & half ? there - x : x + there;
    }
    return x;
}

/* Five rounds by shuffles; then rows and columns change places, and five more. */
__global__ void __launch_bounds__(POINTS) walsh_shuffles(float *out, const float *in, const float *, int)
{
    __shared__ float tile[LANES][LANES + 1];
    int t = threadIdx.x, lane = t % LANES, warp = t / LANES;
    tile[warp][lane] = walsh_of_warp(in[blockIdx.x * POINTS + t]);
    __syncthreads();
    float x = walsh_of_warp(tile[lane][warp]);
    __syncthreads();
    tile[lane][warp] = x;
    __syncthreads();
    out[blockIdx.x * POINTS + t] = tile[warp][lane];
}

/* A warp has a signal, a lane every 32nd point of it in registers. */
__global__ void walsh_registers(float *out, const float *in, const float *, int n)
{
    int signal = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    float x[LANES];
    if (signal >= n)
        return;
#pragma unroll
    for (int k = 0; k < LANES; k++)
        x[k] = in[signal * POINTS + k * LANES + lane];
#pragma unroll
    for (int half = 1; half < LANES; half *= 2)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            if (!(k & half)) {
                float there = x[k + half];
                x[k + half] = x[k] - there;
                x[k] += there;
            }
#pragma unroll
    for (int k = 0; k < LANES; k++)
        out[signal * POINTS + k * LANES + lane] = walsh_of_warp(x[k]);
}

/* Whole numbers: sums are exact. */
static void prepare_walsh(int size)
{
    n = size;
    in = steps_input((size_t)n * POINTS, 162);
    for (size_t i = 0; i < in.count; i++)
        in.host[i] = (float)(int)(in.host[i] * 16);
    steps_upload(&in);
    out = steps_output(in.count);
}

static void walsh_reference(float *expected)
{
    for (int signal = 0; signal < n; signal++)
        for (int k = 0; k < POINTS; k++) {
            float sum = 0;
            for (int i = 0; i < POINTS; i++)
                sum += in.host[signal * POINTS + i] * (__builtin_parity(i & k) ? -1 : 1);
            expected[signal * POINTS + k] = sum;
        }
}

static const struct step walsh_steps[] = {
    {"shared", launch_signals<walsh_shared, 1, POINTS / 2>},
    {"shuffles", launch_signals<walsh_shuffles, 1, POINTS>},
    {"registers", launch_signals<walsh_registers, BLOCK / LANES, BLOCK>},
};
const struct step_family walsh_family = {
    "walsh", walsh_steps, STEPS_COUNT(walsh_steps), 1 << 14, 5, 0, prepare_walsh, finish, &out,
    walsh_reference};

/* -------------------------------------------------------------------------------- cosines of 8 x 8 pixels */

enum { SIDE = 8, TILE = SIDE * SIDE };

__constant__ float waves[SIDE][SIDE]; /* [frequency][place] */
static float host_waves[SIDE][SIDE];

/* n tiles, each in one piece. A thread has a coefficient, and looks at all 64 pixels. */
__global__ void cosines_directly(float *out, const float *in, const float *table, int n)
{
    int tile = blockIdx.x * (BLOCK / TILE) + threadIdx.x / TILE, t = threadIdx.x % TILE, v = t / SIDE,
        u = t % SIDE;
    if (tile >= n)
        return;
    float sum = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            sum += in[tile * TILE + y * SIDE + x] * table[v * SIDE + y] * table[u * SIDE + x];
    out[tile * TILE + t] = sum;
}

/* Rows, then columns: sixteen products instead of 64. */
__global__ void cosines_twice(float *out, const float *in, const float *table, int n)
{
    __shared__ float pixels[BLOCK], rows[BLOCK];
    int t = threadIdx.x, base = t / TILE * TILE, v = t % TILE / SIDE, u = t % SIDE,
        i = blockIdx.x * BLOCK + t;
    bool is_inside = i < n * TILE;
    pixels[t] = is_inside ? in[i] : 0;
    __syncthreads();
    float sum = 0;
    for (int x = 0; x < SIDE; x++)
        sum += pixels[base + v * SIDE + x] * table[u * SIDE + x];
    rows[t] = sum;
    __syncthreads();
    sum = 0;
    for (int y = 0; y < SIDE; y++)
        sum += rows[base + y * SIDE + u] * table[v * SIDE + y];
    if (is_inside)
        out[i] = sum;
}

__device__ static void cosines_of_eight(float *x)
{
    float sums[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        sums[k] = 0;
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            sums[k] += x[i] * waves[k][i];
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        x[k] = sums[k];
}

/* A thread has a whole row, then a whole column: eight threads for a tile. */
__global__ void cosines_by_rows(float *out, const float *in, const float *, int n)
{
    __shared__ float tiles[BLOCK / SIDE][SIDE][SIDE + 1];
    int own = threadIdx.x / SIDE, row = threadIdx.x % SIDE, tile = blockIdx.x * (BLOCK / SIDE) + own;
    float x[SIDE] = {};
    if (tile < n)
        for (int k = 0; k < SIDE; k++)
            x[k] = in[tile * TILE + row * SIDE + k];
    cosines_of_eight(x);
    for (int k = 0; k < SIDE; k++)
        tiles[own][row][k] = x[k];
    __syncwarp();
    for (int k = 0; k < SIDE; k++)
        x[k] = tiles[own][k][row];
    cosines_of_eight(x);
    if (tile < n)
        for (int k = 0; k < SIDE; k++)
            out[tile * TILE + k * SIDE + row] = x[k];
}

static void prepare_cosines(int size)
{
    n = size;
    in = steps_input((size_t)n * TILE, 163);
    out = steps_output(in.count);
    table = steps_array_of<float>(TILE);
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++) {
            host_waves[k][i] = (float)(cos(M_PI * k * (2 * i + 1) / (2 * SIDE)) * (k ? 0.5 : sqrt(0.125)));
            table.host[k * SIDE + i] = host_waves[k][i];
        }
    steps_upload(&table);
    STEPS_CHECK(cudaMemcpyToSymbol(waves, host_waves, sizeof waves));
}

static void cosines_reference(float *expected)
{
    for (int i = 0; i < n * TILE; i++) {
        double sum = 0;
        for (int k = 0; k < TILE; k++)
            sum += (double)in.host[i / TILE * TILE + k] * host_waves[i % TILE / SIDE][k / SIDE] *
                   host_waves[i % SIDE][k % SIDE];
        expected[i] = (float)sum;
    }
}

static const struct step cosines_steps[] = {
    {"directly", launch_signals<cosines_directly, BLOCK / TILE, BLOCK>},
    {"twice", launch_signals<cosines_twice, BLOCK / TILE, BLOCK>},
    {"rows", launch_signals<cosines_by_rows, BLOCK / SIDE, BLOCK>},
};
const struct step_family cosines_family = {
    "cosines", cosines_steps, STEPS_COUNT(cosines_steps), 1 << 17, 301, 1e-4, prepare_cosines, finish, &out,
    cosines_reference};
