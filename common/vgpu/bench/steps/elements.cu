/* elements.cu - arrays element by element: copies of elements of one to sixteen bytes, gathering in
 * different orders, numbers of 16 bits, keeping some elements and dropping the others, and polynomials.
 * Each family moves or computes the same whatever the version. */
#include "steps.h"

#include <cuda_fp16.h>
#include <algorithm>
#include <cstring>

typedef unsigned char byte;

enum { BLOCK = 256, LANES = 32, WARPS = BLOCK / LANES };

static int n;
static struct steps_array in, other, out;

static void finish(void)
{
    for (struct steps_array *array : {&in, &other, &out})
        steps_free(array);
}

/* ---------------------------------------------------------------------------------------- of what size */

template <class T> __global__ void copy_elements(T *out, const T *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

/* n counts words. */
template <class T> static void launch_copy(void)
{
    int count = (int)(n * sizeof(float) / sizeof(T));
    copy_elements<<<steps_blocks(count, BLOCK), BLOCK>>>((T *)out.device, (const T *)in.device, count);
}

static void prepare_copy(int size)
{
    n = size;
    in = steps_input(n, 241);
    out = steps_output(n);
}

static void copy_reference(float *expected)
{
    memcpy(expected, in.host, n * sizeof(float));
}

static const struct step element_sizes_steps[] = {
    {"bytes1", launch_copy<byte>},      {"bytes2", launch_copy<short>},      {"bytes4", launch_copy<int>},
    {"bytes8", launch_copy<double>, 2}, {"bytes16", launch_copy<float4>, 4},
};
const struct step_family element_sizes_family = {
    "element_sizes", element_sizes_steps, STEPS_COUNT(element_sizes_steps), 1 << 24, 5003, 0, prepare_copy,
    finish, &out, copy_reference};

/* ---------------------------------------------------------------------------------------- in what order */

enum { ORDERS = 5, GROUP = 1024 };

/* Which element comes i-th: n is a multiple of GROUP. */
static int in_order(int i)
{
    return i;
}

static int reversed(int i)
{
    return n - 1 - i;
}

static int mixed_in_warps(int i)
{
    return i / LANES * LANES + (i * 13 + 7) % LANES;
}

static int mixed_in_groups(int i)
{
    return i / GROUP * GROUP + (i % GROUP * 389 + 101) % GROUP;
}

/* An odd factor: no two are alike where n is a power of two; else some are, and some do not come. */
static int mixed_everywhere(int i)
{
    return (int)(((unsigned long long)i * 2654435761u + 12345u) % (unsigned)n);
}

static int (*const orders[ORDERS])(int) = {in_order, reversed, mixed_in_warps, mixed_in_groups,
                                           mixed_everywhere};
static int last_order; /* of the last launch */

__global__ void gather(float *out, const float *in, const int *indexes, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[indexes[i]];
}

template <int ORDER> static void launch_gather(void)
{
    last_order = ORDER;
    gather<<<steps_blocks(n, BLOCK), BLOCK>>>(out.device, in.device,
                                              (const int *)other.device + (size_t)ORDER * n, n);
}

static void prepare_gather(int size)
{
    prepare_copy(size);
    other = steps_array_of<int>((size_t)ORDERS * n);
    for (int order = 0; order < ORDERS; order++)
        for (int i = 0; i < n; i++)
            ((int *)other.host)[(size_t)order * n + i] = orders[order](i);
    steps_upload(&other);
}

/* Zeros: what was gathered, less what should have been. */
static void gather_reference(float *expected)
{
    memset(expected, 0, n * sizeof(float));
}

static void collect_gather(float *got)
{
    steps_collect<float>(got, &out, n);
    for (int i = 0; i < n; i++)
        got[i] -= in.host[orders[last_order](i)];
}

static const struct step gather_orders_steps[] = {
    {"in_order", launch_gather<0>, GROUP},     {"reversed", launch_gather<1>, GROUP},
    {"within_warps", launch_gather<2>, GROUP}, {"within_1024", launch_gather<3>, GROUP},
    {"everywhere", launch_gather<4>, GROUP},
};
const struct step_family gather_orders_family = {
    "gather_orders", gather_orders_steps, STEPS_COUNT(gather_orders_steps), 1 << 23, 5003, 0, prepare_gather,
    finish, &out, gather_reference, collect_gather};

/* ----------------------------------------------------------------------------------- of 16 bits: y += a x */

__global__ void axpy_halves(__half *y, const __half *x, const __half *old, __half a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = __hfma(a, x[i], old[i]);
}

/* Floats while it computes, half as many bits in memory. */
__global__ void axpy_by_floats(__half *y, const __half *x, const __half *old, __half a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = __float2half(__half2float(a) * __half2float(x[i]) + __half2float(old[i]));
}

__global__ void axpy_pairs(__half *y, const __half *x, const __half *old, __half a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n / 2)
        ((__half2 *)y)[i] = __hfma2(__half2half2(a), ((const __half2 *)x)[i], ((const __half2 *)old)[i]);
}

__global__ void axpy_eights(__half *y, const __half *x, const __half *old, __half a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n / 8)
        return;
    uint4 words = ((const uint4 *)x)[i], before = ((const uint4 *)old)[i];
    __half2 *own = (__half2 *)&words, *was = (__half2 *)&before;
#pragma unroll
    for (int k = 0; k < 4; k++)
        own[k] = __hfma2(__half2half2(a), own[k], was[k]);
    ((uint4 *)y)[i] = words;
}

typedef void half_kernel(__half *y, const __half *x, const __half *old, __half a, int n);

template <half_kernel *KERNEL, int EACH> static void launch_halves(void)
{
    const __half *x = (const __half *)in.device;
    KERNEL<<<steps_blocks(n / EACH, BLOCK), BLOCK>>>((__half *)other.device, x, x + n, __float2half(3), n);
}

/* Whole numbers below 64: the result is exact. */
static void prepare_halves(int size)
{
    n = size;
    in = steps_array_of<__half>((size_t)2 * n);
    for (int i = 0; i < 2 * n; i++)
        ((__half *)in.host)[i] = __float2half((float)(int)(steps_value(i, 242) * 64));
    steps_upload(&in);
    other = steps_array_of<__half>(n);
    out.count = n;
}

static void halves_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = 3 * (float)(int)(steps_value(i, 242) * 64) + (float)(int)(steps_value(i + n, 242) * 64);
}

static void collect_halves(float *got)
{
    steps_collect<__half>(got, &other, n);
}

static const struct step halves_steps[] = {
    {"one_by_one", launch_halves<axpy_halves, 1>, 8},
    {"by_floats", launch_halves<axpy_by_floats, 1>, 8},
    {"pairs", launch_halves<axpy_pairs, 2>, 8},
    {"eights", launch_halves<axpy_eights, 8>, 8},
};
const struct step_family halves_family = {
    "halves", halves_steps, STEPS_COUNT(halves_steps), 1 << 25, 5003, 0, prepare_halves, finish, &out,
    halves_reference, collect_halves};

/* ------------------------------------------------------------------------------------------ which to keep */

/* `kept` holds how many there are, then their indexes in any order. */
__host__ __device__ static bool is_kept(float x)
{
    return x < 0.375f;
}

__global__ void keep_by_thread(int *kept, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && is_kept(in[i]))
        kept[1 + atomicAdd(kept, 1)] = i;
}

/* One lane asks for all of its warp. */
__global__ void keep_by_warp(int *kept, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % LANES, first = 0;
    bool is_mine = i < n && is_kept(in[i]);
    unsigned all = __ballot_sync(~0u, is_mine);
    if (lane == 0 && all)
        first = atomicAdd(kept, __popc(all));
    first = __shfl_sync(~0u, first, 0);
    if (is_mine)
        kept[1 + first + __popc(all & ((1u << lane) - 1))] = i;
}

/* One thread asks for all of its block, once the warps have counted. */
__global__ void keep_by_block(int *kept, const float *in, int n)
{
    __shared__ int starts[WARPS], first;
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, lane = t % LANES;
    bool is_mine = i < n && is_kept(in[i]);
    unsigned all = __ballot_sync(~0u, is_mine);
    if (lane == 0)
        starts[t / LANES] = __popc(all);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++) {
            int count = starts[w];
            starts[w] = sum;
            sum += count;
        }
        first = atomicAdd(kept, sum);
    }
    __syncthreads();
    if (is_mine)
        kept[1 + first + starts[t / LANES] + __popc(all & ((1u << lane) - 1))] = i;
}

/* Counts in shared memory, by atomics there. */
__global__ void keep_by_shared_atomics(int *kept, const float *in, int n)
{
    __shared__ int count, first;
    int i = blockIdx.x * BLOCK + threadIdx.x, place = 0;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    bool is_mine = i < n && is_kept(in[i]);
    if (is_mine)
        place = atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        first = atomicAdd(kept, count);
    __syncthreads();
    if (is_mine)
        kept[1 + first + place] = i;
}

template <void (*KERNEL)(int *, const float *, int)> static void launch_keep(void)
{
    STEPS_CHECK(cudaMemsetAsync(other.device, 0, sizeof(int)));
    KERNEL<<<steps_blocks(n, BLOCK), BLOCK>>>((int *)other.device, in.device, n);
}

static void prepare_keep(int size)
{
    prepare_copy(size);
    other = steps_output(n + 1);
}

/* How often an element was kept. */
static void keep_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = is_kept(in.host[i]);
}

static void collect_keep(float *got)
{
    float *kept = (float *)malloc((n + 1) * sizeof(float));
    if (!kept)
        exit(2);
    memset(got, 0, n * sizeof(float));
    steps_collect<int>(kept, &other, n + 1);
    for (int k = 0; k < std::min((int)kept[0], n); k++)
        if (kept[1 + k] >= 0 && kept[1 + k] < n)
            got[(int)kept[1 + k]]++;
    free(kept);
}

static const struct step compaction_steps[] = {
    {"thread", launch_keep<keep_by_thread>},
    {"shared_atomics", launch_keep<keep_by_shared_atomics>},
    {"warp", launch_keep<keep_by_warp>},
    {"block", launch_keep<keep_by_block>},
};
const struct step_family compaction_family = {
    "compaction", compaction_steps, STEPS_COUNT(compaction_steps), 1 << 24, 5003, 0, prepare_keep, finish,
    &out, keep_reference, collect_keep};

/* -------------------------------------------------------------------------------------------- polynomials */

enum { TERMS = 64 };

__constant__ float factors[TERMS];
static float host_factors[TERMS];

template <class REAL> __host__ __device__ static REAL by_horner(const float *factors, REAL x)
{
    REAL sum = 0;
#pragma unroll
    for (int k = TERMS - 1; k >= 0; k--)
        sum = sum * x + (REAL)factors[k];
    return sum;
}

/* Pairs, then pairs of pairs: six steps that wait for each other instead of 64. */
__device__ static float by_estrin(float x)
{
    float parts[TERMS / 2];
#pragma unroll
    for (int k = 0; k < TERMS / 2; k++)
        parts[k] = factors[2 * k] + x * factors[2 * k + 1];
#pragma unroll
    for (int left = TERMS / 4; left > 0; left /= 2) {
        x *= x;
#pragma unroll
        for (int k = 0; k < left; k++)
            parts[k] = parts[2 * k] + x * parts[2 * k + 1];
    }
    return parts[0];
}

template <class REAL> __device__ static float horner(float x)
{
    return (float)by_horner<REAL>(factors, x);
}

/* A thread has EACH points, a block apart. */
template <float (*EVALUATE)(float), int EACH> __global__ void evaluate(float *out, const float *in, int n)
{
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < n)
            out[first + k * BLOCK] = EVALUATE(in[first + k * BLOCK]);
}

template <float (*EVALUATE)(float), int EACH> static void launch_polynomial(void)
{
    evaluate<EVALUATE, EACH><<<steps_blocks(n, BLOCK * EACH), BLOCK>>>(out.device, in.device, n);
}

static void prepare_polynomial(int size)
{
    n = size;
    in = steps_input(n, 164);
    out = steps_output(n);
    for (int k = 0; k < TERMS; k++)
        host_factors[k] = steps_value(k, 165) - 0.5f;
    STEPS_CHECK(cudaMemcpyToSymbol(factors, host_factors, sizeof factors));
}

static void polynomial_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = (float)by_horner<double>(host_factors, in.host[i]);
}

static const struct step polynomial_steps[] = {
    {"doubles", launch_polynomial<horner<double>, 1>},
    {"horner", launch_polynomial<horner<float>, 1>},
    {"estrin", launch_polynomial<by_estrin, 1>},
    {"four_points", launch_polynomial<horner<float>, 4>},
};
const struct step_family polynomial_family = {
    "polynomial", polynomial_steps, STEPS_COUNT(polynomial_steps), 1 << 24, 5003, 1e-4, prepare_polynomial,
    finish, &out, polynomial_reference};
