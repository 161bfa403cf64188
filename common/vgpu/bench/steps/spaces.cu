/* spaces.cu - memory spaces: coefficients and tables in global, constant, read-only, texture and shared memory,
 * arrays in local memory and in registers, and what to do when registers run out.
 * Inputs fit L2, so that what differs is the way from there. */
#include "steps.h"

#include <cmath>

enum { BLOCK = 256 };

static int n;
static struct steps_array in, out;

static void finish(void)
{
    steps_free(&in);
    steps_free(&out);
}

/* ------------------------------------------------------------------------------------------- coefficients */

enum { TAPS = 64 };

static struct steps_array taps;
__constant__ float constant_taps[TAPS];

/* nvcc cannot know that out and the coefficients are apart; here that matters little, a thread stores once. */
__global__ void filter_global(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * in[i + k];
    out[i] = sum;
}

__global__ void filter_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += constant_taps[k] * in[i + k];
    out[i] = sum;
}

__global__ void filter_read_only(float *out, const float *__restrict__ in, const float *__restrict__ taps, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += __ldg(&taps[k]) * __ldg(&in[i + k]);
    out[i] = sum;
}

__global__ void filter_shared(float *out, const float *in, const float *taps, int n)
{
    __shared__ float own[TAPS], around[BLOCK + TAPS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (t < TAPS)
        own[t] = taps[t];
    for (int k = t; k < BLOCK + TAPS && i - t + k < n + TAPS; k += BLOCK)
        around[k] = in[i - t + k];
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += own[k] * around[t + k];
    out[i] = sum;
}

static void prepare_taps(int size)
{
    n = size;
    in = steps_input(n + TAPS, 5);
    taps = steps_input(TAPS, 6);
    out = steps_output(n);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_taps, taps.host, sizeof constant_taps));
}

static void finish_taps(void)
{
    finish();
    steps_free(&taps);
}

static void filter_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += (double)taps.host[k] * in.host[i + k];
        expected[i] = (float)sum;
    }
}

static void launch_filter_global(void)
{
    filter_global<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, taps.device, n);
}

static void launch_filter_constant(void)
{
    filter_constant<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_filter_read_only(void)
{
    filter_read_only<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, taps.device, n);
}

static void launch_filter_shared(void)
{
    filter_shared<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, taps.device, n);
}

static const struct step coefficients_steps[] = {
    {"global", launch_filter_global},
    {"constant", launch_filter_constant},
    {"read_only", launch_filter_read_only},
    {"shared", launch_filter_shared},
};
const struct step_family coefficients_family = {
    "coefficients", coefficients_steps, STEPS_COUNT(coefficients_steps), 1 << 22, 5003, 1e-4, prepare_taps,
    finish_taps,    &out,               filter_reference};

/* ------------------------------------------------------------------------------------------- tables */

enum { ENTRIES = 256, LOOKUPS = 16 };

static struct steps_array entries;
__constant__ float constant_entries[ENTRIES];

__host__ __device__ static int next_entry(int entry, float value)
{
    return (entry * 5 + (int)(value * 64) + 1) % ENTRIES;
}

/* Each lane reads another entry: constant memory gives out one word at a time. */
template <class READ> __device__ static float look_up(float x, const READ &read)
{
    int entry = (int)(x * ENTRIES);
    float sum = 0;
    for (int k = 0; k < LOOKUPS; k++) {
        float value = read(entry);
        sum += value;
        entry = next_entry(entry, value);
    }
    return sum;
}

__global__ void look_up_global(float *out, const float *in, const float *entries, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = look_up(in[i], [=](int entry) { return entries[entry]; });
}

__global__ void look_up_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = look_up(in[i], [](int entry) { return constant_entries[entry]; });
}

__global__ void look_up_shared(float *out, const float *in, const float *entries, int n)
{
    __shared__ float own[ENTRIES];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    own[threadIdx.x] = entries[threadIdx.x];
    __syncthreads();
    const float *from = own;
    if (i < n)
        out[i] = look_up(in[i], [=](int entry) { return from[entry]; });
}

static void prepare_entries(int size)
{
    n = size;
    in = steps_input(n, 7);
    entries = steps_input(ENTRIES, 8);
    out = steps_output(n);
    STEPS_CHECK(cudaMemcpyToSymbol(constant_entries, entries.host, sizeof constant_entries));
}

static void finish_entries(void)
{
    finish();
    steps_free(&entries);
}

static void look_up_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        int entry = (int)(in.host[i] * ENTRIES);
        float sum = 0;
        for (int k = 0; k < LOOKUPS; k++) {
            sum += entries.host[entry];
            entry = next_entry(entry, entries.host[entry]);
        }
        expected[i] = sum;
    }
}

static void launch_look_up_global(void)
{
    look_up_global<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, entries.device, n);
}

static void launch_look_up_constant(void)
{
    look_up_constant<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_look_up_shared(void)
{
    look_up_shared<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, entries.device, n);
}

static const struct step lookup_steps[] = {
    {"global", launch_look_up_global}, {"constant", launch_look_up_constant}, {"shared", launch_look_up_shared}};
const struct step_family lookup_family = {
    "lookup", lookup_steps, STEPS_COUNT(lookup_steps), 1 << 22, 5003, 1e-4, prepare_entries, finish_entries, &out,
    look_up_reference};

/* ------------------------------------------------------------------------------------------- textures */

enum { SIDE_X = 32, SIDE_Y = 8 };
#define SHRINK 0.45f /* of the picture's coordinates, so that neighbours share texels */

static cudaArray_t picture;
static cudaTextureObject_t point_texture, linear_texture;

__host__ __device__ static int clamp_to(int x, int size)
{
    return x < 0 ? 0 : x >= size ? size - 1 : x;
}

__host__ __device__ static float mix(float from, float to, float part)
{
    return from + (to - from) * part;
}

/* The value between four pixels around (x, y), where a pixel's middle is at + 0.5; outside, the border goes on. */
template <class READ> __host__ __device__ static float between(float x, float y, const READ &read)
{
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), px = x - 0.5f - left, py = y - 0.5f - top;
    int column = (int)left, row = (int)top;
    return mix(mix(read(column, row), read(column + 1, row), px),
               mix(read(column, row + 1), read(column + 1, row + 1), px), py);
}

struct pixels {
    const float *in;
    int n;
    __host__ __device__ float operator()(int column, int row) const
    {
        return in[clamp_to(row, n) * n + clamp_to(column, n)];
    }
};

__global__ void zoom_global(float *out, const float *in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    const struct pixels read = {in, n};
    if (x < n && y < n)
        out[y * n + x] = between(x * SHRINK, y * SHRINK, read);
}

__global__ void zoom_read_only(float *out, const float *__restrict__ in, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = between(x * SHRINK, y * SHRINK, [=](int column, int row) {
            return __ldg(&in[clamp_to(row, n) * n + clamp_to(column, n)]);
        });
}

/* The texture unit clamps. */
__global__ void zoom_clamped(float *out, cudaTextureObject_t texture, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = between(x * SHRINK, y * SHRINK, [=](int column, int row) {
            return tex2D<float>(texture, column + 0.5f, row + 0.5f);
        });
}

/* It also mixes, with eight bits of the fraction. */
__global__ void zoom_filtered(float *out, cudaTextureObject_t texture, int n)
{
    int x = blockIdx.x * SIDE_X + threadIdx.x, y = blockIdx.y * SIDE_Y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tex2D<float>(texture, x * SHRINK, y * SHRINK);
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaTextureObject_t object;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc texture = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode = filter;
    texture.readMode = cudaReadModeElementType;
    STEPS_CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    return object;
}

static void prepare_picture(int size)
{
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    n = size;
    in = steps_input((size_t)n * n, 9);
    out = steps_output((size_t)n * n);
    STEPS_CHECK(cudaMallocArray(&picture, &format, n, n));
    STEPS_CHECK(cudaMemcpy2DToArray(picture, 0, 0, in.host, n * sizeof(float), n * sizeof(float), n,
                                    cudaMemcpyHostToDevice));
    point_texture = texture_of(picture, cudaFilterModePoint);
    linear_texture = texture_of(picture, cudaFilterModeLinear);
}

static void finish_picture(void)
{
    finish();
    STEPS_CHECK(cudaDestroyTextureObject(point_texture));
    STEPS_CHECK(cudaDestroyTextureObject(linear_texture));
    STEPS_CHECK(cudaFreeArray(picture));
}

static void picture_reference(float *expected)
{
    const struct pixels read = {in.host, n};
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expected[y * n + x] = between(x * SHRINK, y * SHRINK, read);
}

static dim3 picture_grid(void)
{
    return dim3(steps_blocks(n, SIDE_X), steps_blocks(n, SIDE_Y));
}

static void launch_zoom_global(void)
{
    zoom_global<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>(out.device, in.device, n);
}

static void launch_zoom_read_only(void)
{
    zoom_read_only<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>(out.device, in.device, n);
}

static void launch_zoom_clamped(void)
{
    zoom_clamped<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>(out.device, point_texture, n);
}

static void launch_zoom_filtered(void)
{
    zoom_filtered<<<picture_grid(), dim3(SIDE_X, SIDE_Y)>>>(out.device, linear_texture, n);
}

static const struct step texture_steps[] = {
    {"global", launch_zoom_global},
    {"read_only", launch_zoom_read_only},
    {"clamped", launch_zoom_clamped},
    {"filtered", launch_zoom_filtered},
};
/* What eight bits of a fraction cannot say: two of them, each up to 1/512, times differences of up to one. */
const struct step_family texture_family = {
    "texture", texture_steps, STEPS_COUNT(texture_steps), 2048, 101, 0.006, prepare_picture, finish_picture, &out,
    picture_reference};

/* ----------------------------------------------------------------------------- a small array of one's own */

enum { BINS = 16, VALUES = 64 };

__host__ __device__ static int bin_of(float value)
{
    return (int)(value * BINS);
}

/* Indexes known only at run time: the array lies in local memory. */
__global__ void bins_in_local(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float bins[BINS] = {}, most = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[k * n + i];
        bins[bin_of(value)] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b]);
    out[i] = most;
}

/* Every index is a constant: sixteen selections instead of one store, and no memory. */
__global__ void bins_in_registers(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float bins[BINS] = {}, most = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[k * n + i];
        int bin = bin_of(value);
#pragma unroll
        for (int b = 0; b < BINS; b++)
            bins[b] += b == bin ? value : 0;
    }
#pragma unroll
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b]);
    out[i] = most;
}

/* A column of shared memory per thread: no two lanes of a warp share a bank. */
__global__ void bins_in_shared(float *out, const float *in, int n)
{
    __shared__ float bins[BINS][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i >= n)
        return;
    float most = 0;
    for (int b = 0; b < BINS; b++)
        bins[b][t] = 0;
    for (int k = 0; k < VALUES; k++) {
        float value = in[k * n + i];
        bins[bin_of(value)][t] += value;
    }
    for (int b = 0; b < BINS; b++)
        most = fmaxf(most, bins[b][t]);
    out[i] = most;
}

static void prepare_bins(int size)
{
    n = size;
    in = steps_input((size_t)n * VALUES, 10);
    out = steps_output(n);
}

static void bins_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        float bins[BINS] = {}, most = 0;
        for (int k = 0; k < VALUES; k++)
            bins[bin_of(in.host[k * n + i])] += in.host[k * n + i];
        for (int b = 0; b < BINS; b++)
            most = bins[b] > most ? bins[b] : most;
        expected[i] = most;
    }
}

static void launch_bins_in_local(void)
{
    bins_in_local<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_bins_in_registers(void)
{
    bins_in_registers<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_bins_in_shared(void)
{
    bins_in_shared<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static const struct step local_steps[] = {
    {"local", launch_bins_in_local}, {"registers", launch_bins_in_registers}, {"shared", launch_bins_in_shared}};
const struct step_family local_family = {
    "local", local_steps, STEPS_COUNT(local_steps), 1 << 19, 5003, 1e-4, prepare_bins, finish, &out, bins_reference};

/* ------------------------------------------------------------------------------------------- spilling */

enum { POINTS = 64, RADIX = 8 };

/* A Walsh-Hadamard transform of COUNT values. */
template <int COUNT> __host__ __device__ static void transform(float *x)
{
#pragma unroll
    for (int half = 1; half < COUNT; half *= 2)
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (!(i & half)) {
                float sum = x[i] + x[i + half];
                x[i + half] = x[i] - x[i + half];
                x[i] = sum;
            }
}

/* 64 values in the registers of a thread; MIN_BLOCKS decides how many it may have. */
template <int MIN_BLOCKS>
__global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) transform_whole(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float x[POINTS];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        x[k] = in[k * n + i];
    transform<POINTS>(x);
#pragma unroll
    for (int k = 0; k < POINTS; k++)
        out[k * n + i] = x[k];
}

/* One of eight parts of a half of the work: values `stride` apart, eight of them. */
__global__ void transform_part(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, part = blockIdx.y;
    int first = stride == 1 ? part * RADIX : part;
    float x[RADIX];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        x[k] = in[(first + k * stride) * n + i];
    transform<RADIX>(x);
#pragma unroll
    for (int k = 0; k < RADIX; k++)
        out[(first + k * stride) * n + i] = x[k];
}

template <int MIN_BLOCKS> static void launch_whole(void)
{
    transform_whole<MIN_BLOCKS><<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device, n);
}

static void launch_split(void)
{
    dim3 grid(steps_blocks(n, BLOCK), POINTS / RADIX);
    transform_part<<<grid, BLOCK>>>(out.device, in.device, n, 1);
    transform_part<<<grid, BLOCK>>>(out.device, out.device, n, RADIX);
}

static void prepare_points(int size)
{
    n = size;
    in = steps_input((size_t)n * POINTS, 11);
    out = steps_output((size_t)n * POINTS);
}

static void transform_reference(float *expected)
{
    for (int i = 0; i < n; i++) {
        float x[POINTS];
        for (int k = 0; k < POINTS; k++)
            x[k] = in.host[k * n + i];
        transform<POINTS>(x);
        for (int k = 0; k < POINTS; k++)
            expected[k * n + i] = x[k];
    }
}

static const struct step spilling_steps[] = {
    {"spilling", launch_whole<8>}, {"fewer_blocks", launch_whole<2>}, {"split", launch_split}};
const struct step_family spilling_family = {
    "spilling", spilling_steps, STEPS_COUNT(spilling_steps), 1 << 19, 1001, 1e-4, prepare_points, finish, &out,
    transform_reference};
