/* scans.cu - inclusive prefix sums: of segments of 1024 elements, a block each, and of a whole array in
 * three kernels. Elements are small whole numbers, so that their sums are exact in any order. */
#include "steps.h"

enum { SEGMENT = 1024, WARP = 32, EACH = 4 };

static int n;
static struct steps_array in, out, sums;

/* ---------------------------------------------------------------------------------- a block and a segment */

__device__ static float element(const float *in, int i, int n)
{
    return i < n ? in[i] : 0;
}

/* Ten rounds, each adds what lies 1, 2, 4 ... places before; two buffers, one barrier a round. */
__global__ void __launch_bounds__(SEGMENT) scan_hillis_steele(float *out, const float *in, float *sums, int n)
{
    __shared__ float x[2][SEGMENT];
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t, now = 0;
    x[0][t] = element(in, i, n);
    for (int step = 1; step < SEGMENT; step *= 2, now ^= 1) {
        __syncthreads();
        x[now ^ 1][t] = x[now][t] + (t >= step ? x[now][t - step] : 0);
    }
    if (i < n)
        out[i] = x[now][t];
    if (sums && t == SEGMENT - 1)
        sums[blockIdx.x] = x[now][t];
}

/* Where element i lies: with PADDED, one word in 33 is free, and strides of powers of two meet all banks. */
template <bool PADDED> __device__ static int place(int i)
{
    return PADDED ? i + i / WARP : i;
}

/* Up and down a tree: fewer additions, two elements per thread, and fewer and fewer threads that work. */
template <bool PADDED>
__global__ void __launch_bounds__(SEGMENT / 2) scan_blelloch(float *out, const float *in, float *sums, int n)
{
    __shared__ float x[SEGMENT + SEGMENT / WARP];
    int t = threadIdx.x, base = blockIdx.x * SEGMENT;
    float own[2];
    for (int k = 0; k < 2; k++) {
        own[k] = element(in, base + t + k * SEGMENT / 2, n);
        x[place<PADDED>(t + k * SEGMENT / 2)] = own[k];
    }
    for (int step = 1; step < SEGMENT; step *= 2) {
        __syncthreads();
        if (t < SEGMENT / 2 / step)
            x[place<PADDED>((2 * t + 2) * step - 1)] += x[place<PADDED>((2 * t + 1) * step - 1)];
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = x[place<PADDED>(SEGMENT - 1)];
        x[place<PADDED>(SEGMENT - 1)] = 0;
    }
    for (int step = SEGMENT / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < SEGMENT / 2 / step) {
            int left = place<PADDED>((2 * t + 1) * step - 1), right = place<PADDED>((2 * t + 2) * step - 1);
            float before = x[right];
            x[right] += x[left];
            x[left] = before;
        }
    }
    __syncthreads();
    for (int k = 0, i = t; k < 2; k++, i += SEGMENT / 2)
        if (base + i < n)
            out[base + i] = x[place<PADDED>(i)] + own[k];
}

__device__ static float scan_warp(float x)
{
    for (int step = 1; step < WARP; step *= 2) {
        float before = __shfl_up_sync(~0u, x, step);
        if (threadIdx.x % WARP >= step)
            x += before;
    }
    return x;
}

/* The sum of all up to this thread in a block of THREADS. */
template <int THREADS> __device__ static float scan_block(float x)
{
    __shared__ float warps[WARP];
    int t = threadIdx.x;
    x = scan_warp(x);
    if (t % WARP == WARP - 1)
        warps[t / WARP] = x;
    __syncthreads();
    if (t < WARP)
        warps[t] = scan_warp(t < THREADS / WARP ? warps[t] : 0);
    __syncthreads();
    return t < WARP ? x : x + warps[t / WARP - 1];
}

__global__ void __launch_bounds__(SEGMENT) scan_shuffles(float *out, const float *in, float *sums, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t;
    float x = scan_block<SEGMENT>(element(in, i, n));
    if (i < n)
        out[i] = x;
    if (sums && t == SEGMENT - 1)
        sums[blockIdx.x] = x;
}

__device__ static float total(float4 x)
{
    return x.x + x.y + x.z + x.w;
}

/* The prefix sums of four neighbours that follow on `before`. */
__device__ static float4 follow(float before, float4 x)
{
    float4 y;
    y.x = before + x.x;
    y.y = y.x + x.y;
    y.z = y.y + x.z;
    y.w = y.z + x.w;
    return y;
}

__global__ void __launch_bounds__(SEGMENT / EACH) scan_four(float *out, const float *in, float *sums, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t * EACH;
    float4 x = i < n ? *(const float4 *)&in[i] : make_float4(0, 0, 0, 0);
    float upto = scan_block<SEGMENT / EACH>(total(x));
    if (i < n)
        *(float4 *)&out[i] = follow(upto - total(x), x);
    if (sums && t == SEGMENT / EACH - 1)
        sums[blockIdx.x] = upto;
}

/* ---------------------------------------------------------------------------------------- the whole array */

/* One block; what came before is carried from round to round. */
__global__ void __launch_bounds__(SEGMENT) scan_sums(float *sums, int n)
{
    __shared__ float carry;
    float before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int t = threadIdx.x, i = base + t;
        float x = before + scan_block<SEGMENT>(element(sums, i, n));
        if (i < n)
            sums[i] = x;
        if (t == SEGMENT - 1)
            carry = x;
        __syncthreads();
        before = carry;
    }
}

__global__ void __launch_bounds__(SEGMENT) add_sums(float *out, const float *sums, int n)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        out[i] += sums[blockIdx.x - 1];
}

__global__ void __launch_bounds__(SEGMENT / EACH) add_sums_four(float *out, const float *sums, int n)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x * EACH;
    if (i >= n || blockIdx.x == 0)
        return;
    float before = sums[blockIdx.x - 1];
    float4 x = *(float4 *)&out[i];
    *(float4 *)&out[i] = make_float4(x.x + before, x.y + before, x.z + before, x.w + before);
}

/* The other way: first only the sums, then the scan, which follows on them; the result is written once. */
__global__ void __launch_bounds__(SEGMENT / EACH) reduce_four(float *sums, const float *in, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t * EACH;
    float upto = scan_block<SEGMENT / EACH>(i < n ? total(*(const float4 *)&in[i]) : 0);
    if (t == SEGMENT / EACH - 1)
        sums[blockIdx.x] = upto;
}

__global__ void __launch_bounds__(SEGMENT / EACH)
    scan_after(float *out, const float *in, const float *sums, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + t * EACH;
    float before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    float4 x = i < n ? *(const float4 *)&in[i] : make_float4(0, 0, 0, 0);
    float upto = scan_block<SEGMENT / EACH>(total(x));
    if (i < n)
        *(float4 *)&out[i] = follow(before + upto - total(x), x);
}

/* ------------------------------------------------------------------------------------------- the families */

template <void (*SCAN)(float *, const float *, float *, int), int THREADS> static void launch_segments(void)
{
    SCAN<<<steps_blocks(n, SEGMENT), THREADS>>>(out.device, in.device, NULL, n);
}

template <void (*SCAN)(float *, const float *, float *, int), int THREADS> static void launch_scan_add(void)
{
    unsigned blocks = steps_blocks(n, SEGMENT);
    SCAN<<<blocks, THREADS>>>(out.device, in.device, sums.device, n);
    scan_sums<<<1, SEGMENT>>>(sums.device, blocks);
    add_sums<<<blocks, SEGMENT>>>(out.device, sums.device, n);
}

static void launch_scan_add_four(void)
{
    unsigned blocks = steps_blocks(n, SEGMENT);
    scan_four<<<blocks, SEGMENT / EACH>>>(out.device, in.device, sums.device, n);
    scan_sums<<<1, SEGMENT>>>(sums.device, blocks);
    add_sums_four<<<blocks, SEGMENT / EACH>>>(out.device, sums.device, n);
}

static void launch_reduce_scan(void)
{
    unsigned blocks = steps_blocks(n, SEGMENT);
    reduce_four<<<blocks, SEGMENT / EACH>>>(sums.device, in.device, n);
    scan_sums<<<1, SEGMENT>>>(sums.device, blocks);
    scan_after<<<blocks, SEGMENT / EACH>>>(out.device, in.device, sums.device, n);
}

static void prepare(int size)
{
    n = size;
    in = steps_input(n, 20);
    for (int i = 0; i < n; i++)
        in.host[i] = (float)(int)(in.host[i] * 8);
    steps_upload(&in);
    out = steps_output(n);
    sums = steps_output(steps_blocks(n, SEGMENT));
}

static void finish(void)
{
    for (struct steps_array *array : {&in, &out, &sums})
        steps_free(array);
}

static void segments_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = in.host[i] + (i % SEGMENT ? expected[i - 1] : 0);
}

static void large_reference(float *expected)
{
    for (int i = 0; i < n; i++)
        expected[i] = in.host[i] + (i ? expected[i - 1] : 0);
}

static const struct step segments_steps[] = {
    {"hillis_steele", launch_segments<scan_hillis_steele, SEGMENT>},
    {"blelloch", launch_segments<scan_blelloch<false>, SEGMENT / 2>},
    {"padded", launch_segments<scan_blelloch<true>, SEGMENT / 2>},
    {"shuffles", launch_segments<scan_shuffles, SEGMENT>},
    {"four_items", launch_segments<scan_four, SEGMENT / EACH>, EACH},
};
const struct step_family scan_segments_family = {
    "scan_segments", segments_steps, STEPS_COUNT(segments_steps), 1 << 25, 5003, 0, prepare,
    finish,          &out,           segments_reference};

static const struct step large_steps[] = {
    {"hillis_steele", launch_scan_add<scan_hillis_steele, SEGMENT>},
    {"blelloch", launch_scan_add<scan_blelloch<true>, SEGMENT / 2>},
    {"shuffles", launch_scan_add<scan_shuffles, SEGMENT>},
    {"four_items", launch_scan_add_four, EACH},
    {"reduce_first", launch_reduce_scan, EACH},
};
const struct step_family scan_large_family = {
    "scan_large", large_steps, STEPS_COUNT(large_steps), 1 << 24, 1100003, 0, prepare,
    finish,       &out,        large_reference};
