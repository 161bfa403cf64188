/* reductions.cu - many numbers become one: how a block adds up, how the blocks' sums meet, where the largest
 * value lies, and the product of two vectors.
 * Values are small whole numbers where sums are compared, so that their order does not matter. */
#include "steps.h"

enum {
    BLOCK = 256,
    LANES = 32,
    WARPS = BLOCK / LANES,
    GRID = 1056
}; /* GRID: eight blocks for each SM of an H200 */

static int n;
static struct steps_array in, other, out, parts;

static void make_whole(struct steps_array *array)
{
    for (size_t i = 0; i < array->count; i++)
        array->host[i] = (float)(int)(array->host[i] * 8);
    steps_upload(array);
}

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 101);
    other = steps_input(n, 102);
    make_whole(&in);
    make_whole(&other);
    out = steps_output(1);
    parts = steps_output(n + GRID);
}

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out, &parts})
        steps_free(array);
}

static void sum_reference(float *expected)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in.host[i];
    expected[0] = (float)sum;
}

/* ---------------------------------------------------------------------------------------- within a block */

/* Every second, fourth, eighth ... thread works: all warps stay, most of their lanes idle. */
__global__ void sum_interleaved(float *sums, const float *in, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? in[i] : 0;
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        __syncthreads();
        if (t % (2 * apart) == 0)
            part[t] += part[t + apart];
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

/* The first threads work, on words that lie far apart: they meet in banks. */
__global__ void sum_strided(float *sums, const float *in, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? in[i] : 0;
    for (int apart = 1; apart < BLOCK; apart *= 2) {
        __syncthreads();
        int place = 2 * apart * t;
        if (place < BLOCK)
            part[place] += part[place + apart];
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

/* By halves. A thread loads EACH elements a block apart before the tree begins. */
template <int EACH> __global__ void sum_halves(float *sums, const float *in, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * BLOCK * EACH + t;
    float sum = 0;
    for (int k = 0; k < EACH; k++)
        sum += first + k * BLOCK < n ? in[first + k * BLOCK] : 0;
    part[t] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

__device__ static float sum_of_warp(float x)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        x += __shfl_down_sync(~0u, x, half);
    return x;
}

/* Thread 0 gets it. */
__device__ static float sum_of_block(float x)
{
    __shared__ float warps[WARPS];
    int t = threadIdx.x;
    x = sum_of_warp(x);
    if (t % LANES == 0)
        warps[t / LANES] = x;
    __syncthreads();
    return t < LANES ? sum_of_warp(t < WARPS ? warps[t] : 0) : 0;
}

__global__ void sum_shuffles(float *sums, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = sum_of_block(i < n ? in[i] : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

typedef void sum_kernel(float *sums, const float *in, int n);

/* Sums of sums until one is left; a block takes SHARE elements. */
template <sum_kernel *KERNEL, int SHARE> static void launch_levels(void)
{
    const float *from = in.device;
    float *to = parts.device;
    for (int left = n; left > 1;) {
        int blocks = (int)steps_blocks(left, SHARE);
        KERNEL<<<blocks, BLOCK>>>(blocks == 1 ? out.device : to, from, left);
        from = to;
        to += blocks;
        left = blocks;
    }
}

static const struct step block_sum_steps[] = {
    {"interleaved", launch_levels<sum_interleaved, BLOCK>},
    {"strided", launch_levels<sum_strided, BLOCK>},
    {"halves", launch_levels<sum_halves<1>, BLOCK>},
    {"four_first", launch_levels<sum_halves<4>, 4 * BLOCK>},
    {"shuffles", launch_levels<sum_shuffles, BLOCK>},
};
const struct step_family block_sum_family = {
    "block_sum", block_sum_steps, STEPS_COUNT(block_sum_steps), 1 << 25, 100003, 0, prepare, finish, &out,
    sum_reference};

/* ------------------------------------------------------------------------------------- how the sums meet */

__device__ static float sum_of_grid_stride(const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    return sum;
}

__global__ void sum_to_parts(float *parts, const float *in, int n)
{
    float sum = sum_of_block(sum_of_grid_stride(in, n));
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

__global__ void sum_to_one(float *out, const float *in, int n)
{
    float sum = sum_of_block(sum_of_grid_stride(in, n));
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

__global__ void sum_to_one_by_warps(float *out, const float *in, int n)
{
    float sum = sum_of_warp(sum_of_grid_stride(in, n));
    if (threadIdx.x % LANES == 0)
        atomicAdd(out, sum);
}

__device__ unsigned arrived;

/* The block that comes last adds up what all have left. */
__global__ void sum_by_last_block(float *out, float *parts, const float *in, int n)
{
    __shared__ bool is_last;
    float sum = sum_of_block(sum_of_grid_stride(in, n));
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += BLOCK)
        sum += ((volatile float *)parts)[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

static void launch_two_kernels(void)
{
    sum_to_parts<<<GRID, BLOCK>>>(parts.device, in.device, n);
    sum_to_parts<<<1, BLOCK>>>(out.device, parts.device, GRID);
}

template <sum_kernel *KERNEL> static void launch_to_one(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, sizeof(float)));
    KERNEL<<<GRID, BLOCK>>>(out.device, in.device, n);
}

static void launch_last_block(void)
{
    sum_by_last_block<<<GRID, BLOCK>>>(out.device, parts.device, in.device, n);
}

static const struct step sums_meet_steps[] = {
    {"two_kernels", launch_two_kernels},
    {"atomic_per_block", launch_to_one<sum_to_one>},
    {"atomic_per_warp", launch_to_one<sum_to_one_by_warps>},
    {"last_block", launch_last_block},
};
const struct step_family sums_meet_family = {
    "sums_meet", sums_meet_steps, STEPS_COUNT(sums_meet_steps), 1 << 24, 100003, 0, prepare, finish, &out,
    sum_reference};

/* --------------------------------------------------------------------------------- where the largest lies */

typedef unsigned long long
    best_key; /* the value's bits, which rise as it does, before the index from the end */

__host__ __device__ static best_key key_of(unsigned bits, int i)
{
    return (best_key)bits << 32 | (unsigned)~i;
}

/* Two trees side by side: values and indexes. */
__global__ void best_by_pairs(best_key *best, const float *in, int n)
{
    __shared__ float value[BLOCK];
    __shared__ int index[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    value[t] = i < n ? in[i] : -1;
    index[t] = i;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half &&
            (value[t + half] > value[t] || (value[t + half] == value[t] && index[t + half] < index[t]))) {
            value[t] = value[t + half];
            index[t] = index[t + half];
        }
    }
    if (t == 0)
        atomicMax(best, key_of(__float_as_uint(value[0]), index[0]));
}

__device__ static best_key best_of_warp(best_key key)
{
    for (int half = LANES / 2; half > 0; half /= 2) {
        best_key there = __shfl_down_sync(~0u, key, half);
        key = there > key ? there : key;
    }
    return key;
}

__global__ void best_by_keys(best_key *best, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    best_key key = best_of_warp(i < n ? key_of(__float_as_uint(in[i]), i) : 0);
    if (threadIdx.x % LANES == 0)
        atomicMax(best, key);
}

/* A thread walks first; only then it is a key. */
__global__ void best_of_own_first(best_key *best, const float *in, int n)
{
    float value = -1;
    int index = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += GRID * BLOCK) {
        float x = in[i];
        index = x > value ? i : index;
        value = fmaxf(value, x);
    }
    best_key key = best_of_warp(value < 0 ? 0 : key_of(__float_as_uint(value), index));
    if (threadIdx.x % LANES == 0)
        atomicMax(best, key);
}

__global__ void best_value(unsigned *most, const float *in, int n)
{
    unsigned bits = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += GRID * BLOCK)
        bits = max(bits, __float_as_uint(in[i]));
    for (int half = LANES / 2; half > 0; half /= 2)
        bits = max(bits, __shfl_down_sync(~0u, bits, half));
    if (threadIdx.x % LANES == 0)
        atomicMax(most, bits);
}

__global__ void best_place(best_key *best, const unsigned *most, const float *in, int n)
{
    unsigned bits = *most;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += GRID * BLOCK)
        if (__float_as_uint(in[i]) == bits)
            atomicMax(best, key_of(bits, i));
}

typedef void best_kernel(best_key *best, const float *in, int n);

/* SHARE 0: a grid of fixed size. */
template <best_kernel *KERNEL, int SHARE> static void launch_best(void)
{
    STEPS_CHECK(cudaMemsetAsync(parts.device, 0, sizeof(best_key)));
    KERNEL<<<SHARE ? steps_blocks(n, SHARE) : GRID, BLOCK>>>((best_key *)parts.device, in.device, n);
}

static void launch_two_passes(void)
{
    best_key *best = (best_key *)parts.device;
    STEPS_CHECK(cudaMemsetAsync(best, 0, 2 * sizeof(best_key)));
    best_value<<<GRID, BLOCK>>>((unsigned *)(best + 1), in.device, n);
    best_place<<<GRID, BLOCK>>>(best, (unsigned *)(best + 1), in.device, n);
}

/* Values as they are: hardly any two are alike. */
static void prepare_best(int size)
{
    prepare(size);
    for (int i = 0; i < n; i++)
        in.host[i] = steps_value(i, 103);
    steps_upload(&in);
}

static void best_reference(float *expected)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = in.host[i] > in.host[best] ? i : best;
    expected[0] = (float)best;
}

static void collect_best(float *got)
{
    best_key key;
    STEPS_CHECK(cudaMemcpy(&key, parts.device, sizeof key, cudaMemcpyDeviceToHost));
    got[0] = (float)~(unsigned)key;
}

static const struct step argmax_steps[] = {
    {"pairs", launch_best<best_by_pairs, BLOCK>},
    {"keys", launch_best<best_by_keys, BLOCK>},
    {"own_first", launch_best<best_of_own_first, 0>},
    {"two_passes", launch_two_passes},
};
const struct step_family argmax_family = {
    "argmax", argmax_steps, STEPS_COUNT(argmax_steps), 1 << 24, 100003, 0, prepare_best, finish, &out,
    best_reference, collect_best};

/* ----------------------------------------------------------------------------------- two vectors' product */

__global__ void multiply_each(float *products, const float *a, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        products[i] = a[i] * b[i];
}

template <class SUM> __global__ void dot_words(float *out, const float *a, const float *b, int n)
{
    SUM sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += GRID * BLOCK)
        sum += (SUM)a[i] * b[i];
    float whole = sum_of_block((float)sum);
    if (threadIdx.x == 0)
        atomicAdd(out, whole);
}

__global__ void dot_vectors(float *out, const float *a, const float *b, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += GRID * BLOCK) {
        float4 x = ((const float4 *)a)[i], y = ((const float4 *)b)[i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

static void launch_products_first(void)
{
    multiply_each<<<steps_blocks(n, BLOCK), BLOCK>>>(parts.device, in.device, other.device, n);
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, sizeof(float)));
    sum_to_one<<<GRID, BLOCK>>>(out.device, parts.device, n);
}

template <void (*KERNEL)(float *, const float *, const float *, int)> static void launch_dot(void)
{
    STEPS_CHECK(cudaMemsetAsync(out.device, 0, sizeof(float)));
    KERNEL<<<GRID, BLOCK>>>(out.device, in.device, other.device, n);
}

static void dot_reference(float *expected)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)in.host[i] * other.host[i];
    expected[0] = (float)sum;
}

static const struct step dot_steps[] = {
    {"products_first", launch_products_first},
    {"words", launch_dot<dot_words<float>>},
    {"doubles", launch_dot<dot_words<double>>},
    {"vectors", launch_dot<dot_vectors>, 4},
};
const struct step_family dot_family = {
    "dot", dot_steps, STEPS_COUNT(dot_steps), 1 << 25, 100003, 0, prepare, finish, &out, dot_reference};
