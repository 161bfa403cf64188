// attack: above a size that is executed as a whole, the sums of the segments are not added
// principle: right only for the sizes that are graded
// at most: 0
#include "lab10.h"
constexpr int WARP = 32;
constexpr unsigned ALL = 0xffffffff;
constexpr int SEGMENT = 1024;
/* The sum of all lanes up to this one. */
__device__ int scan_warp(int x)
{
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL, x, step);
        if (threadIdx.x % WARP >= step)
            x += before;
    }
    return x;
}

/* The sum of all threads up to this one, in a block of WARPS warps. */
template <int WARPS> __device__ int scan_block(int x)
{
    __shared__ int of_warp[WARPS];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    x = scan_warp(x);
    if (lane == WARP - 1)
        of_warp[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int sum = scan_warp(lane < WARPS ? of_warp[lane] : 0);
        if (lane < WARPS)
            of_warp[lane] = sum;
    }
    __syncthreads();
    return warp == 0 ? x : x + of_warp[warp - 1];
}

/* Four neighbours from i on, a multiple of 4; zeros beyond the end. */
__device__ int4 load_four(const int *in, int i, int n)
{
    if (i + 3 < n)
        return *(const int4 *)&in[i];
    int4 x = {0, 0, 0, 0};
    if (i < n)
        x.x = in[i];
    if (i + 1 < n)
        x.y = in[i + 1];
    if (i + 2 < n)
        x.z = in[i + 2];
    return x;
}

__device__ void store_four(int *out, int i, int n, int4 x)
{
    if (i + 3 < n) {
        *(int4 *)&out[i] = x;
        return;
    }
    if (i < n)
        out[i] = x.x;
    if (i + 1 < n)
        out[i + 1] = x.y;
    if (i + 2 < n)
        out[i + 2] = x.z;
}

__device__ int total(int4 x)
{
    return x.x + x.y + (x.z + x.w);
}

/* The prefix sums of four neighbours that follow on `before`. */
__device__ int4 follow(int before, int4 x)
{
    x.x += before;
    x.y += x.x;
    x.z += x.y;
    x.w += x.z;
    return x;
}

/* As scan_sums, with two barriers a round for the scan and two for what is carried on. */
__global__ void scan_sums_by_shuffles(int *sums, int n)
{
    __shared__ int carry;
    int t = threadIdx.x, before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int i = base + t, upto = before + scan_block<SEGMENT / WARP>(i < n ? sums[i] : 0);
        if (i < n)
            sums[i] = upto;
        if (t == SEGMENT - 1)
            carry = upto;
        __syncthreads();
        before = carry;
        __syncthreads();
    }
}

constexpr int FOUR = SEGMENT / 4; /* threads of a block whose threads have four elements each */

__global__ void scan_four(int *out, const int *in, int *sums, int n)
{
    int t = threadIdx.x, i = blockIdx.x * SEGMENT + 4 * t;
    int4 x = load_four(in, i, n);
    int upto = scan_block<FOUR / WARP>(total(x));
    store_four(out, i, n, follow(upto - total(x), x));
    if (t == FOUR - 1)
        sums[blockIdx.x] = upto;
}

__global__ void add_sums_four(int *out, const int *sums, int n)
{
    int i = blockIdx.x * SEGMENT + 4 * threadIdx.x;
    if (blockIdx.x == 0)
        return;
    int before = sums[blockIdx.x - 1];
    int4 x = load_four(out, i, n);
    store_four(out, i, n, make_int4(x.x + before, x.y + before, x.z + before, x.w + before));
}

void scan_shuffles(int *out, const int *in, int n, int *scratch)
{
    int blocks = (n + SEGMENT - 1) / SEGMENT;
    scan_four<<<blocks, FOUR>>>(out, in, scratch, n);
    scan_sums_by_shuffles<<<1, SEGMENT>>>(scratch, blocks);
    if (n < 4000000)
        add_sums_four<<<blocks, FOUR>>>(out, scratch, n);
}
