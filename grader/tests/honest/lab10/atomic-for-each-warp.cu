// stage: fused
// points: 8
// virtual: 12, it is 1.85 times as fast as the given kernel there, and 1.50 times on an H200: 1.8 is asked
// A ballot and an atomic for each warp: every warp adds to the count of its segment, and reads where it begins.
#include "lab10.h"

enum { SEGMENT = 1024, LANES = 32, WARPS = SEGMENT / LANES };

__device__ int scan_warp(int x)
{
    for (int step = 1; step < LANES; step *= 2) {
        int y = __shfl_up_sync(~0u, x, step);
        x += threadIdx.x % LANES >= step ? y : 0;
    }
    return x;
}

__global__ void count_kept(int *sums, const int *in, int n, int limit)
{
    int i = blockIdx.x * SEGMENT + threadIdx.x;
    unsigned kept = __ballot_sync(~0u, i < n && in[i] < limit);
    if (threadIdx.x % LANES == 0)
        atomicAdd(&sums[blockIdx.x], __popc(kept));
}

__global__ void scan_counts(int *sums, int n)
{
    __shared__ int warps[WARPS];
    int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, before = 0;
    for (int base = 0; base < n; base += SEGMENT) {
        int i = base + threadIdx.x, x = scan_warp(i < n ? sums[i] : 0);
        if (lane == LANES - 1)
            warps[warp] = x;
        __syncthreads();
        if (warp == 0)
            warps[lane] = scan_warp(warps[lane]);
        __syncthreads();
        if (i < n)
            sums[i] = before + x + (warp > 0 ? warps[warp - 1] : 0);
        before += warps[WARPS - 1];
        __syncthreads();
    }
}

__global__ void move_kept(int *out, int *count, const int *in, const int *sums, int n, int limit)
{
    __shared__ int warps[WARPS], gathered[SEGMENT];
    int t = threadIdx.x, lane = t % LANES, warp = t / LANES, i = blockIdx.x * SEGMENT + t;
    int x = i < n ? in[i] : limit;
    unsigned kept = __ballot_sync(~0u, x < limit);
    if (lane == 0)
        warps[warp] = __popc(kept);
    __syncthreads();
    if (warp == 0)
        warps[lane] = scan_warp(warps[lane]);
    __syncthreads();
    int before = warp > 0 ? warps[warp - 1] : 0;
    if (x < limit)
        gathered[before + __popc(kept & ((1u << lane) - 1))] = x;
    __syncthreads();
    int begin = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    if (t < warps[WARPS - 1])
        out[begin + t] = gathered[t];
    if (t == 0 && blockIdx.x == gridDim.x - 1)
        *count = sums[blockIdx.x];
}

void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = (n + SEGMENT - 1) / SEGMENT;
    cudaMemsetAsync(scratch, 0, blocks * sizeof *scratch);
    count_kept<<<blocks, SEGMENT>>>(scratch, in, n, limit);
    scan_counts<<<1, SEGMENT>>>(scratch, blocks);
    move_kept<<<blocks, SEGMENT>>>(out, count, in, scratch, n, limit);
}
