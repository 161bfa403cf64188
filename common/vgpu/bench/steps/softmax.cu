/* softmax.cu - softmax and layer norm over each of n rows of 256 and of 4096 floats: a thread, a warp or a
 * block for a row, three passes, one pass that mends its sums as it goes, and rows that stay in registers
 * as float4. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256, WARP = 32, ROWS_PER_BLOCK = BLOCK / WARP, SHORT_ROW = 256, LONG_ROW = 4096 };

static int n;
static struct steps_array in, out, scale, shift; /* the last two are layer norm's, one of each per column */

/* ------------------------------------------------------------------------------------------- sums of many */

struct added {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};

struct larger {
    __device__ float operator()(float a, float b) const
    {
        return fmaxf(a, b);
    }
};

/* All lanes get it. */
template <class OP> __device__ static float over_warp(float x, OP op)
{
    for (int half = WARP / 2; half > 0; half /= 2)
        x = op(x, __shfl_xor_sync(~0u, x, half));
    return x;
}

/* By a tree in shared memory; all threads get it. */
template <class OP> __device__ static float over_block(float x, OP op)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    __syncthreads();
    part[t] = x;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] = op(part[t], part[t + half]);
    }
    __syncthreads();
    return part[0];
}

/* By shuffles, with one word per warp in shared memory; all threads get it. */
template <class OP> __device__ static float over_warps(float x, OP op)
{
    __shared__ float part[ROWS_PER_BLOCK];
    int t = threadIdx.x;
    x = over_warp(x, op);
    __syncthreads();
    if (t % WARP == 0)
        part[t / WARP] = x;
    __syncthreads();
    x = part[0];
    for (int i = 1; i < ROWS_PER_BLOCK; i++)
        x = op(x, part[i]);
    return x;
}

/* ------------------------------------------------------------------------------------------------ softmax */

template <int WIDTH> __global__ void softmax_thread(float *out, const float *in, int n)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n)
        return;
    in += (size_t)row * WIDTH;
    out += (size_t)row * WIDTH;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < WIDTH; i++)
        most = fmaxf(most, in[i]);
    for (int i = 0; i < WIDTH; i++)
        sum += expf(in[i] - most);
    for (int i = 0; i < WIDTH; i++)
        out[i] = expf(in[i] - most) / sum;
}

template <int WIDTH> __global__ void softmax_block(float *out, const float *in, int)
{
    in += (size_t)blockIdx.x * WIDTH;
    out += (size_t)blockIdx.x * WIDTH;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        most = fmaxf(most, in[i]);
    most = over_block(most, larger());
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        sum += expf(in[i] - most);
    sum = over_block(sum, added());
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        out[i] = expf(in[i] - most) / sum;
}

/* The row is read once for both: where a larger value comes, what was added up until then shrinks. */
template <int WIDTH> __global__ void softmax_online(float *out, const float *in, int)
{
    in += (size_t)blockIdx.x * WIDTH;
    out += (size_t)blockIdx.x * WIDTH;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK) {
        float x = in[i], next = fmaxf(most, x);
        sum = sum * expf(most - next) + expf(x - next);
        most = next;
    }
    float all = over_block(most, larger());
    sum = over_block(sum * expf(most - all), added());
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        out[i] = expf(in[i] - all) / sum;
}

template <int WIDTH> __global__ void softmax_warp(float *out, const float *in, int n)
{
    int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n)
        return;
    in += (size_t)row * WIDTH;
    out += (size_t)row * WIDTH;
    float most = -INFINITY, sum = 0;
    for (int i = lane; i < WIDTH; i += WARP)
        most = fmaxf(most, in[i]);
    most = over_warp(most, larger());
    for (int i = lane; i < WIDTH; i += WARP)
        sum += expf(in[i] - most);
    sum = over_warp(sum, added());
    for (int i = lane; i < WIDTH; i += WARP)
        out[i] = expf(in[i] - most) / sum;
}

/* THREADS have a row, four neighbours each at a time, and keep it in registers: a warp or a block. */
template <int WIDTH, int THREADS> struct row_in_registers {
    static constexpr int EACH = WIDTH / 4 / THREADS;
    float4 x[EACH];

    __device__ void load(const float *from)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            x[i] = ((const float4 *)from)[i * THREADS + threadIdx.x % THREADS];
    }

    __device__ void store(float *to) const
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            ((float4 *)to)[i * THREADS + threadIdx.x % THREADS] = x[i];
    }

    template <class CHANGE> __device__ void change(const CHANGE &to)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            x[i] = make_float4(to(x[i].x), to(x[i].y), to(x[i].z), to(x[i].w));
    }

    template <class OP> __device__ float all(OP op) const
    {
        float own = op(op(x[0].x, x[0].y), op(x[0].z, x[0].w));
#pragma unroll
        for (int i = 1; i < EACH; i++)
            own = op(own, op(op(x[i].x, x[i].y), op(x[i].z, x[i].w)));
        return THREADS == WARP ? over_warp(own, op) : over_warps(own, op);
    }
};

template <int WIDTH, int THREADS> __global__ void softmax_vector(float *out, const float *in, int n)
{
    int row = blockIdx.x * (BLOCK / THREADS) + threadIdx.x / THREADS;
    if (row >= n)
        return;
    struct row_in_registers<WIDTH, THREADS> x;
    x.load(in + (size_t)row * WIDTH);
    float most = x.all(larger());
    x.change([=](float x) { return expf(x - most); });
    float factor = 1 / x.all(added());
    x.change([=](float x) { return x * factor; });
    x.store(out + (size_t)row * WIDTH);
}

/* --------------------------------------------------------------------------------------------- layer norm */

#define EPSILON 1e-5f

__device__ static float normal(float x, float mean, float variance, float scale, float shift)
{
    return (x - mean) * rsqrtf(variance + EPSILON) * scale + shift;
}

template <int WIDTH>
__global__ void norm_thread(float *out, const float *in, const float *scale, const float *shift, int n)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= n)
        return;
    in += (size_t)row * WIDTH;
    out += (size_t)row * WIDTH;
    float sum = 0, squares = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += in[i];
    float mean = sum / WIDTH;
    for (int i = 0; i < WIDTH; i++)
        squares += (in[i] - mean) * (in[i] - mean);
    for (int i = 0; i < WIDTH; i++)
        out[i] = normal(in[i], mean, squares / WIDTH, scale[i], shift[i]);
}

template <int WIDTH>
__global__ void norm_block(float *out, const float *in, const float *scale, const float *shift, int)
{
    in += (size_t)blockIdx.x * WIDTH;
    out += (size_t)blockIdx.x * WIDTH;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        sum += in[i];
    float mean = over_block(sum, added()) / WIDTH;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        squares += (in[i] - mean) * (in[i] - mean);
    float variance = over_block(squares, added()) / WIDTH;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        out[i] = normal(in[i], mean, variance, scale[i], shift[i]);
}

/* Sum and sum of squares in one pass. */
template <int WIDTH>
__global__ void norm_squares(float *out, const float *in, const float *scale, const float *shift, int)
{
    in += (size_t)blockIdx.x * WIDTH;
    out += (size_t)blockIdx.x * WIDTH;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK) {
        sum += in[i];
        squares += in[i] * in[i];
    }
    float mean = over_block(sum, added()) / WIDTH,
          variance = over_block(squares, added()) / WIDTH - mean * mean;
    for (int i = threadIdx.x; i < WIDTH; i += BLOCK)
        out[i] = normal(in[i], mean, variance, scale[i], shift[i]);
}

template <int WIDTH>
__global__ void norm_warp(float *out, const float *in, const float *scale, const float *shift, int n)
{
    int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n)
        return;
    in += (size_t)row * WIDTH;
    out += (size_t)row * WIDTH;
    float sum = 0, squares = 0;
    for (int i = lane; i < WIDTH; i += WARP)
        sum += in[i];
    float mean = over_warp(sum, added()) / WIDTH;
    for (int i = lane; i < WIDTH; i += WARP)
        squares += (in[i] - mean) * (in[i] - mean);
    float variance = over_warp(squares, added()) / WIDTH;
    for (int i = lane; i < WIDTH; i += WARP)
        out[i] = normal(in[i], mean, variance, scale[i], shift[i]);
}

template <int WIDTH, int THREADS>
__global__ void norm_vector(float *out, const float *in, const float *scale, const float *shift, int n)
{
    int row = blockIdx.x * (BLOCK / THREADS) + threadIdx.x / THREADS;
    if (row >= n)
        return;
    struct row_in_registers<WIDTH, THREADS> x, square, factor, offset;
    x.load(in + (size_t)row * WIDTH);
    float mean = x.all(added()) / WIDTH;
    square = x;
    square.change([=](float x) { return (x - mean) * (x - mean); });
    float variance = square.all(added()) / WIDTH;
    factor.load(scale);
    offset.load(shift);
#pragma unroll
    for (int i = 0; i < x.EACH; i++) {
        float4 &own = x.x[i], &by = factor.x[i], &plus = offset.x[i];
        own = make_float4(
            normal(own.x, mean, variance, by.x, plus.x), normal(own.y, mean, variance, by.y, plus.y),
            normal(own.z, mean, variance, by.z, plus.z), normal(own.w, mean, variance, by.w, plus.w));
    }
    x.store(out + (size_t)row * WIDTH);
}

/* ------------------------------------------------------------------------------------------- the families */

template <void (*SOFTMAX)(float *, const float *, int), int ROWS> static void launch_softmax(void)
{
    SOFTMAX<<<steps_blocks(n, ROWS), BLOCK>>>(out.device, in.device, n);
}

template <void (*NORM)(float *, const float *, const float *, const float *, int), int ROWS>
static void launch_norm(void)
{
    NORM<<<steps_blocks(n, ROWS), BLOCK>>>(out.device, in.device, scale.device, shift.device, n);
}

template <int WIDTH> static void prepare(int size)
{
    n = size;
    in = steps_input((size_t)n * WIDTH, 27);
    for (size_t i = 0; i < in.count; i++)
        in.host[i] = in.host[i] * 8 - 4;
    steps_upload(&in);
    scale = steps_input(WIDTH, 28);
    shift = steps_input(WIDTH, 29);
    out = steps_output((size_t)n * WIDTH);
}

static void finish(void)
{
    for (struct steps_array *array : {&in, &out, &scale, &shift})
        steps_free(array);
}

template <int WIDTH> static void softmax_reference(float *expected)
{
    for (int row = 0; row < n; row++) {
        const float *x = in.host + (size_t)row * WIDTH;
        double sum = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += exp((double)x[i]);
        for (int i = 0; i < WIDTH; i++)
            expected[(size_t)row * WIDTH + i] = (float)(exp((double)x[i]) / sum);
    }
}

template <int WIDTH> static void norm_reference(float *expected)
{
    for (int row = 0; row < n; row++) {
        const float *x = in.host + (size_t)row * WIDTH;
        double sum = 0, squares = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += x[i];
        double mean = sum / WIDTH;
        for (int i = 0; i < WIDTH; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        double deviation = sqrt(squares / WIDTH + EPSILON);
        for (int i = 0; i < WIDTH; i++)
            expected[(size_t)row * WIDTH + i] =
                (float)((x[i] - mean) / deviation * scale.host[i] + shift.host[i]);
    }
}

/* How many threads have a row of the last version. */
template <int WIDTH> static constexpr int threads_of = WIDTH == SHORT_ROW ? WARP : BLOCK;

template <int WIDTH>
static const struct step softmax_steps[] = {
    {"thread", launch_softmax<softmax_thread<WIDTH>, BLOCK>},
    {"block", launch_softmax<softmax_block<WIDTH>, 1>},
    {"online", launch_softmax<softmax_online<WIDTH>, 1>},
    {"warp", launch_softmax<softmax_warp<WIDTH>, ROWS_PER_BLOCK>},
    {"float4", launch_softmax<softmax_vector<WIDTH, threads_of<WIDTH>>, BLOCK / threads_of<WIDTH>>},
};
template <int WIDTH>
static const struct step norm_steps[] = {
    {"thread", launch_norm<norm_thread<WIDTH>, BLOCK>},
    {"block", launch_norm<norm_block<WIDTH>, 1>},
    {"squares", launch_norm<norm_squares<WIDTH>, 1>},
    {"warp", launch_norm<norm_warp<WIDTH>, ROWS_PER_BLOCK>},
    {"float4", launch_norm<norm_vector<WIDTH, threads_of<WIDTH>>, BLOCK / threads_of<WIDTH>>},
};

/* As many elements in long rows as in short ones. The more a softmax is over, the smaller its results. */
const struct step_family softmax256_family = {
    "softmax256", softmax_steps<SHORT_ROW>, STEPS_COUNT(softmax_steps<SHORT_ROW>), 1 << 16, 67, 1e-6,
    prepare<SHORT_ROW>, finish, &out, softmax_reference<SHORT_ROW>};
const struct step_family softmax4096_family = {
    "softmax4096", softmax_steps<LONG_ROW>, STEPS_COUNT(softmax_steps<LONG_ROW>), 1 << 12, 67, 1e-7,
    prepare<LONG_ROW>, finish, &out, softmax_reference<LONG_ROW>};
const struct step_family norm256_family = {
    "norm256", norm_steps<SHORT_ROW>, STEPS_COUNT(norm_steps<SHORT_ROW>), 1 << 16, 67, 1e-4,
    prepare<SHORT_ROW>, finish, &out, norm_reference<SHORT_ROW>};
const struct step_family norm4096_family = {
    "norm4096", norm_steps<LONG_ROW>, STEPS_COUNT(norm_steps<LONG_ROW>), 1 << 12, 67, 1e-4,
    prepare<LONG_ROW>, finish, &out, norm_reference<LONG_ROW>};
