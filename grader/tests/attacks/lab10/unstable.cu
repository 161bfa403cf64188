// attack: places by an atomic, in whatever order blocks come: right where blocks run in order
// principle: races that pass once
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

constexpr int FOUR = SEGMENT / 4;
__device__ int kept(int4 x, int limit)
{
    return (x.x < limit) + (x.y < limit) + (x.z < limit) + (x.w < limit);
}

/* Four neighbours, as load_four; beyond the end are elements that nobody keeps. */
__device__ int4 load_candidates(const int *in, int i, int n, int limit)
{
    int4 x = load_four(in, i, n);
    if (i >= n)
        x.x = limit;
    if (i + 1 >= n)
        x.y = limit;
    if (i + 2 >= n)
        x.z = limit;
    if (i + 3 >= n)
        x.w = limit;
    return x;
}


__global__ void move_segments(int *out, int *count, const int *in, int n, int limit)
{
    __shared__ int begin;
    int t = threadIdx.x;
    int4 x = load_candidates(in, blockIdx.x * SEGMENT + 4 * t, n, limit);
    int upto = scan_block<FOUR / WARP>(kept(x, limit)), place = upto - kept(x, limit);
    if (t == FOUR - 1)
        begin = atomicAdd(count, upto);
    __syncthreads();
    if (x.x < limit)
        out[begin + place++] = x.x;
    if (x.y < limit)
        out[begin + place++] = x.y;
    if (x.z < limit)
        out[begin + place++] = x.z;
    if (x.w < limit)
        out[begin + place++] = x.w;
}

void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    cudaMemsetAsync(count, 0, sizeof *count);
    move_segments<<<(n + SEGMENT - 1) / SEGMENT, FOUR>>>(out, count, in, n, limit);
}
