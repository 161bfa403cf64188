// stage: fused
// points: 12
// Flags are bits of ballots; the kept elements go straight to their places.
#include "lab10.h"

enum { BLOCK = 256, ROUNDS = 8, TILE = BLOCK * ROUNDS };

__global__ void count_tiles(int *sums, const int *in, int n, int limit)
{
    int kept = 0, first = blockIdx.x * TILE + threadIdx.x;
    for (int k = 0; k < ROUNDS; k++) {
        int i = first + k * BLOCK;
        kept += i < n && in[i] < limit;
    }
    __shared__ int all;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2)
        kept += __shfl_xor_sync(~0u, kept, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all, kept);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

__global__ void scan_sums(int *sums, int n)
{
    __shared__ int part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
    for (int base = 0; base < n; base += 1024) {
        int i = base + threadIdx.x, x = i < n ? sums[i] : 0;
        for (int step = 1; step < 32; step *= 2) {
            int y = __shfl_up_sync(~0u, x, step);
            x += lane >= step ? y : 0;
        }
        if (lane == 31)
            part[warp] = x;
        __syncthreads();
        int all = 0;
        for (int w = 0; w < 32; w++) {
            x += w < warp ? part[w] : 0;
            all += part[w];
        }
        if (i < n)
            sums[i] = before + x;
        before += all;
        __syncthreads();
    }
}

__global__ void move(int *out, int *count, const int *in, const int *sums, int n, int limit)
{
    __shared__ int part[ROUNDS][BLOCK / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x[ROUNDS];
    unsigned bits[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        int i = blockIdx.x * TILE + k * BLOCK + threadIdx.x;
        x[k] = i < n ? in[i] : limit;
    }
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        bits[k] = __ballot_sync(~0u, x[k] < limit);
        if (lane == 0)
            part[k][warp] = __popc(bits[k]);
    }
    __syncthreads();
    if (warp == 0) {
        int *all = &part[0][0], a = all[2 * lane], b = all[2 * lane + 1], sum = a + b;
        for (int step = 1; step < 32; step *= 2) {
            int y = __shfl_up_sync(~0u, sum, step);
            sum += lane >= step ? y : 0;
        }
        all[2 * lane] = sum - a - b;
        all[2 * lane + 1] = sum - b;
    }
    __syncthreads();
    int begin = blockIdx.x ? sums[blockIdx.x - 1] : 0;
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
        if (x[k] < limit)
            out[begin + part[k][warp] + __popc(bits[k] & ((1u << lane) - 1))] = x[k];
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *count = sums[blockIdx.x];
}

void compact_fused(int *out, int *count, const int *in, int n, int limit, int *scratch)
{
    int blocks = (n + TILE - 1) / TILE;
    count_tiles<<<blocks, BLOCK>>>(scratch, in, n, limit);
    scan_sums<<<1, 1024>>>(scratch, blocks);
    move<<<blocks, BLOCK>>>(out, count, in, scratch, n, limit);
}
