/* jumps.cu - calls, calls through pointers, and jumps through tables: how many clocks of an SM each takes.
 * One warp per SM shows how long a warp waits; full SMs show what the SM can do. The same work without calls goes first.
 * "ways" are different targets that the lanes of a warp have. */
#include "micro.cuh"

enum { CALLS = 512, FULL_BLOCK = 1024 };

typedef int step_fn(int x);

template <int K> __device__ __noinline__ int called(int x) { return x * (2 * K + 3) + K; }

__device__ step_fn *const targets[] = {called<0>, called<1>, called<2>, called<3>, called<4>, called<5>, called<6>, called<7>};

__global__ void no_calls(int *out, int n)
{
    int x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = x * 3;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void calls(int *out, int n)
{
    int x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = called<0>(x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void calls_by_pointer(int *out, int n, int ways)
{
    int x = threadIdx.x;
    step_fn *const target = targets[threadIdx.x % ways];
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = target(x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* Cases that differ too much for a table of values. */
__device__ static int jump(int way, int x)
{
    switch (way) {
    case 0: return x * 3 + 1;
    case 1: return x ^ 0x1234;
    case 2: return x >> 3;
    case 3: return __popc(x);
    case 4: return x - (x << 4);
    case 5: return __brev(x);
    case 6: return max(x, 77);
    case 7: return x * x;
    case 8: return __clz(x);
    case 9: return x & 0x777;
    default: return ~x;
    }
}

__global__ void jumps(int *out, int n, int ways)
{
    int x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = jump((i + threadIdx.x % ways) % 10, x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* Clocks of an SM for one of a warp's calls. */
template <class LAUNCH> static double clocks_each(int warps, LAUNCH launch)
{
    const double longer = time_us([=](int) { launch(2 * CALLS); }), shorter = time_us([=](int) { launch(CALLS); });
    return clocks(longer - shorter) / CALLS / warps;
}

static void measure_with(const char *name, int blocks, int threads)
{
    const int warps = blocks * threads / 32 / dev.sms;
    int *out = (int *)dev.out;
    report(clocks_each(warps, [=](int n) { no_calls<<<blocks, threads>>>(out, n); }), "clk/SM", "jumps.%s.none", name);
    report(clocks_each(warps, [=](int n) { calls<<<blocks, threads>>>(out, n); }), "clk/SM", "jumps.%s.call", name);
    for (int ways = 1; ways <= 8; ways *= 2) {
        report(clocks_each(warps, [=](int n) { calls_by_pointer<<<blocks, threads>>>(out, n, ways); }), "clk/SM",
               "jumps.%s.pointer.ways%d", name, ways);
        report(clocks_each(warps, [=](int n) { jumps<<<blocks, threads>>>(out, n, ways); }), "clk/SM",
               "jumps.%s.table.ways%d", name, ways);
    }
}

void measure_jumps()
{
    measure_with("warp", dev.sms, 32);
    measure_with("full", 2 * dev.sms, FULL_BLOCK);
}
