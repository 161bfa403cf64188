/* learning.cu - pieces of machine learning: a layer's bias and activation, the nearest of some centres
 * (k-means), distances between all points, and the largest few of a row.
 * The first has few operations per element; in the others, where what all threads need is kept decides. */
#include "steps.h"

#include <algorithm>
#include <cmath>

enum { BLOCK = 256, LANES = 32, WARPS = BLOCK / LANES };

static int n;
static struct steps_array in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out})
        steps_free(array);
}

typedef void layer_kernel(float *out, const float *in, const float *other, int n);

/* A block has SHARE of n. */
template <layer_kernel *KERNEL, int SHARE> static void launch_layer(void)
{
    KERNEL<<<steps_blocks(n, SHARE), BLOCK>>>(out.device, in.device, other.device, n);
}

/* ------------------------------------------------------------------------------------ bias and activation */

enum { WIDTH = 1024 }; /* of a row; n is rows times WIDTH */

/* The smooth step (GELU), by a hyperbolic tangent. */
__host__ __device__ static float activate(float x)
{
    return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

/* With the hardware's exponential: tanh(y) = 1 - 2 / (exp(2 y) + 1). */
__device__ static float activate_fast(float x)
{
    float power = __expf(1.59576912f * (x + 0.044715f * x * x * x));
    return x - __fdividef(x, power + 1);
}

__global__ void add_bias(float *out, const float *in, const float *bias, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] + bias[i % WIDTH];
}

__global__ void activate_all(float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        x[i] = activate(x[i]);
}

template <float (*ACTIVATE)(float)>
__global__ void bias_and_activate(float *out, const float *in, const float *bias, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = ACTIVATE(in[i] + bias[i % WIDTH]);
}

__global__ void bias_and_activate_vectors(float *out, const float *in, const float *bias, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n / 4)
        return;
    float4 x = ((const float4 *)in)[i], b = ((const float4 *)bias)[i % (WIDTH / 4)];
    ((float4 *)out)[i] = make_float4(activate_fast(x.x + b.x), activate_fast(x.y + b.y),
                                     activate_fast(x.z + b.z), activate_fast(x.w + b.w));
}

static void launch_two_kernels(void)
{
    launch_layer<add_bias, BLOCK>();
    activate_all<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, n);
}

static void prepare_activation(int size)
{
    n = size;
    in = steps_input(n, 201);
    for (int i = 0; i < n; i++)
        in.host[i] = 6 * in.host[i] - 3;
    steps_upload(&in);
    other = steps_input(WIDTH, 202);
    out = steps_output(n);
}

static void activation_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = activate(in.host[i] + other.host[i % WIDTH]);
}

static const struct step activation_steps[] = {
    {"two_kernels", launch_two_kernels},
    {"fused", launch_layer<bias_and_activate<activate>, BLOCK>},
    {"fast", launch_layer<bias_and_activate<activate_fast>, BLOCK>},
    {"fast_vectors", launch_layer<bias_and_activate_vectors, 4 * BLOCK>, 4},
};
const struct step_family activation_family = {
    "activation", activation_steps, STEPS_COUNT(activation_steps), 1 << 25, 5003, 1e-4, prepare_activation,
    finish, &out, activation_reference};

/* ---------------------------------------------------------------------------------------- nearest centres */

enum { SIZES = 8, CENTRES = 64 }; /* numbers of a point */

__constant__ float constant_centres[CENTRES * SIZES];

/* In whole numbers, so that distances are exact. Coordinates of points lie in planes: in[d * n + i]. */
template <class CENTRE>
__host__ __device__ static int nearest_of(const float *in, CENTRE centres, int i, int n)
{
    float own[SIZES], least = 1e30f;
    int nearest = 0;
    for (int d = 0; d < SIZES; d++)
        own[d] = in[(size_t)d * n + i];
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < SIZES; d++) {
            float apart = own[d] - centres[c * SIZES + d];
            distance += apart * apart;
        }
        nearest = distance < least ? c : nearest;
        least = fminf(distance, least);
    }
    return nearest;
}

__global__ void assign_global(float *out, const float *in, const float *centres, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = (float)nearest_of(in, centres, i, n);
}

__global__ void assign_constant(float *out, const float *in, const float *, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = (float)nearest_of(in, constant_centres, i, n);
}

__global__ void assign_shared(float *out, const float *in, const float *centres, int n)
{
    __shared__ float own[CENTRES * SIZES];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = threadIdx.x; k < CENTRES * SIZES; k += BLOCK)
        own[k] = centres[k];
    __syncthreads();
    if (i < n)
        out[i] = (float)nearest_of(in, (const float *)own, i, n);
}

/* The coordinate is read again for every centre. */
__global__ void assign_again(float *out, const float *in, const float *centres, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, nearest = 0;
    if (i >= n)
        return;
    float least = 1e30f;
#pragma unroll 1
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < SIZES; d++) {
            float apart = ((const volatile float *)in)[(size_t)d * n + i] - centres[c * SIZES + d];
            distance += apart * apart;
        }
        nearest = distance < least ? c : nearest;
        least = fminf(distance, least);
    }
    out[i] = (float)nearest;
}

static void make_whole(struct steps_array *array)
{
    for (size_t i = 0; i < array->count; i++)
        array->host[i] = (float)(int)(array->host[i] * 256);
    steps_upload(array);
}

static void prepare_assign(int size)
{
    n = size;
    in = steps_input((size_t)n * SIZES, 203);
    other = steps_input(CENTRES * SIZES, 204);
    make_whole(&in);
    make_whole(&other);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_centres, other.host, sizeof constant_centres));
    out = steps_output(n);
}

static void assign_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)nearest_of(in.host, (const float *)other.host, i, n);
}

static const struct step centres_steps[] = {
    {"again", launch_layer<assign_again, BLOCK>},
    {"global", launch_layer<assign_global, BLOCK>},
    {"constant", launch_layer<assign_constant, BLOCK>},
    {"shared", launch_layer<assign_shared, BLOCK>},
};
const struct step_family centres_family = {
    "centres", centres_steps, STEPS_COUNT(centres_steps), 1 << 21, 5003, 0, prepare_assign, finish, &out,
    assign_reference};

/* ------------------------------------------------------------------------------------- all the distances */

enum {
    DEPTH = 32,
    SIDE = 16,
    TILE = 64,
    EACH = TILE / SIDE
}; /* numbers of a point, which lie side by side */

__global__ void distances_global(float *out, const float *a, const float *b, int n)
{
    int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
    if (column >= n || row >= n)
        return;
    float sum = 0;
    for (int d = 0; d < DEPTH; d++) {
        float apart = a[row * DEPTH + d] - b[column * DEPTH + d];
        sum += apart * apart;
    }
    out[(size_t)row * n + column] = sum;
}

/* 16 points of both kinds in shared memory. PADDED: their numbers lie in different banks. */
template <bool PADDED> __global__ void distances_shared(float *out, const float *a, const float *b, int n)
{
    __shared__ float rows[SIDE][DEPTH + PADDED], columns[SIDE][DEPTH + PADDED];
    int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * SIDE + tx, row = blockIdx.y * SIDE + ty;
    for (int d = tx; d < DEPTH; d += SIDE) {
        rows[ty][d] = row < n ? a[row * DEPTH + d] : 0;
        columns[ty][d] = column - tx + ty < n ? b[(column - tx + ty) * DEPTH + d] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int d = 0; d < DEPTH; d++) {
        float apart = rows[ty][d] - columns[tx][d];
        sum += apart * apart;
    }
    if (column < n && row < n)
        out[(size_t)row * n + column] = sum;
}

/* A thread has 4 x 4 distances of a tile of 64 x 64. */
__global__ void distances_registers(float *out, const float *a, const float *b, int n)
{
    __shared__ float rows[DEPTH][TILE + 1], columns[DEPTH][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    for (int k = ty * SIDE + tx; k < TILE * DEPTH; k += BLOCK) {
        int point = k / DEPTH, d = k % DEPTH;
        rows[d][point] = row + point < n ? a[(row + point) * DEPTH + d] : 0;
        columns[d][point] = column + point < n ? b[(column + point) * DEPTH + d] : 0;
    }
    __syncthreads();
    float sum[EACH][EACH] = {};
    for (int d = 0; d < DEPTH; d++)
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                float apart = rows[d][ty + i * SIDE] - columns[d][tx + j * SIDE];
                sum[i][j] += apart * apart;
            }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (row + ty + i * SIDE < n && column + tx + j * SIDE < n)
                out[(size_t)(row + ty + i * SIDE) * n + column + tx + j * SIDE] = sum[i][j];
}

template <layer_kernel *KERNEL, int SHARE> static void launch_distances(void)
{
    KERNEL<<<dim3(steps_blocks(n, SHARE), steps_blocks(n, SHARE)), dim3(SIDE, SIDE)>>>(out.device, in.device,
                                                                                       other.device, n);
}

static void prepare_distances(int size)
{
    n = size;
    in = steps_input((size_t)n * DEPTH, 205);
    other = steps_input((size_t)n * DEPTH, 206);
    out = steps_output((size_t)n * n);
}

static void distances_reference(float *expected)
{
    for (int i = 0; i < n * n; i++) {
        double sum = 0;
        for (int d = 0; d < DEPTH; d++) {
            double apart = (double)in.host[i / n * DEPTH + d] - other.host[i % n * DEPTH + d];
            sum += apart * apart;
        }
        expected[i] = (float)sum;
    }
}

static const struct step distances_steps[] = {
    {"global", launch_distances<distances_global, SIDE>},
    {"shared", launch_distances<distances_shared<false>, SIDE>},
    {"padded", launch_distances<distances_shared<true>, SIDE>},
    {"registers", launch_distances<distances_registers, TILE>},
};
const struct step_family distances_family = {
    "distances", distances_steps, STEPS_COUNT(distances_steps), 4096, 101, 1e-4, prepare_distances, finish,
    &out, distances_reference};

/* ------------------------------------------------------------------------------- the largest few of a row */

enum { ROW = 256, FEW = 8 };

/* Keeps the largest FEW of what came, the largest first. */
__device__ static void keep(float *best, float x)
{
#pragma unroll
    for (int k = 0; k < FEW; k++) {
        float least = fminf(best[k], x);
        best[k] = fmaxf(best[k], x);
        x = least;
    }
}

__global__ void few_by_thread(float *out, const float *in, const float *, int n)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n)
        return;
    float best[FEW] = {};
    for (int k = 0; k < ROW; k++) {
        float x = in[row * ROW + k];
        if (x > best[FEW - 1])
            keep(best, x);
    }
    for (int k = 0; k < FEW; k++)
        out[row * FEW + k] = best[k];
}

__device__ static float most_of_warp(float x)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, half));
    return x;
}

/* A warp has a row. Eight times the largest is found, and the first lane that has it lets it go. */
__global__ void few_by_warp(float *out, const float *in, const float *, int n)
{
    int row = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (row >= n)
        return;
    float best[FEW] = {};
    for (int k = lane; k < ROW; k += LANES)
        keep(best, in[row * ROW + k]);
    for (int k = 0; k < FEW; k++) {
        float most = most_of_warp(best[0]);
        if (lane == __ffs((int)__ballot_sync(~0u, best[0] == most)) - 1) {
            out[row * FEW + k] = most;
#pragma unroll
            for (int j = 0; j < FEW - 1; j++)
                best[j] = best[j + 1];
            best[FEW - 1] = 0;
        }
    }
}

/* A block has a row in shared memory, and finds the largest again and again. */
__global__ void few_by_block(float *out, const float *in, const float *, int)
{
    __shared__ float most[WARPS];
    __shared__ int who;
    int t = threadIdx.x;
    float own = in[blockIdx.x * ROW + t];
    for (int k = 0; k < FEW; k++) {
        float warp = most_of_warp(own);
        if (t % LANES == 0)
            most[t / LANES] = warp;
        if (t == 0)
            who = ROW;
        __syncthreads();
        float best = most[0];
        for (int w = 1; w < WARPS; w++)
            best = fmaxf(best, most[w]);
        if (own == best)
            atomicMin(&who, t);
        __syncthreads();
        if (t == who) {
            out[blockIdx.x * FEW + k] = best;
            own = -1;
        }
        __syncthreads();
    }
}

static void prepare_few(int size)
{
    n = size;
    in = steps_input((size_t)n * ROW, 207);
    out = steps_output((size_t)n * FEW);
}

static void few_reference(float *expected)
{
    float row[ROW];
    for (int i = 0; i < n; i++) {
        std::copy(in.host + (size_t)i * ROW, in.host + (size_t)(i + 1) * ROW, row);
        std::sort(row, row + ROW, [](float a, float b) { return a > b; });
        std::copy(row, row + FEW, expected + (size_t)i * FEW);
    }
}

static const struct step largest_few_steps[] = {
    {"thread", launch_layer<few_by_thread, BLOCK>},
    {"block", launch_layer<few_by_block, 1>},
    {"warp", launch_layer<few_by_warp, WARPS>},
};
const struct step_family largest_few_family = {
    "largest_few", largest_few_steps, STEPS_COUNT(largest_few_steps), 1 << 16, 301, 0, prepare_few, finish,
    &out, few_reference};
