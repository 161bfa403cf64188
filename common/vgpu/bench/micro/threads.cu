/* threads.cu - what the number of threads, their chains, their branches and their waves do to a kernel's time.
 * Arithmetic kernels do a fixed number of dependent FMAs; memory kernels a chain of loads that come from DRAM.
 * Every group keeps the work per thread and changes one thing. */
#include "micro.cuh"

#include <algorithm>
#include <vector>

enum { FMAS = 8192, UNROLL = 64, STEPS = 32 };

/* ------------------------------------------------------------------------------------------- chains */

template <int CHAINS> __global__ void fma_chains(float *out, float b, float c, int n)
{
    float a[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        a[k] = threadIdx.x + k;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < UNROLL; j++)
            a[j % CHAINS] = fmaf(a[j % CHAINS], b, c);
    float sum = 0;
    for (int k = 0; k < CHAINS; k++)
        sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int CHAINS> static double chains_us(int blocks, int threads, size_t shared = 0)
{
    if (shared)
        cudaFuncSetAttribute(fma_chains<CHAINS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    return time_us([=](int) {
        fma_chains<CHAINS><<<blocks, threads, shared>>>((float *)dev.out, 0.5f, 1.0f, FMAS / UNROLL);
    });
}

/* The same number of FMAs per thread, in 1 to 8 independent chains; few warps per SM, so that chains matter. */
void measure_chains()
{
    const int warps_per_sm[] = {1, 4, 8, 16};
    for (int warps : warps_per_sm) {
        report(chains_us<1>(dev.sms, 32 * warps), "us", "chains.warps%d.1", warps);
        report(chains_us<2>(dev.sms, 32 * warps), "us", "chains.warps%d.2", warps);
        report(chains_us<4>(dev.sms, 32 * warps), "us", "chains.warps%d.4", warps);
        report(chains_us<8>(dev.sms, 32 * warps), "us", "chains.warps%d.8", warps);
    }
}

/* Shared memory of a block of which exactly so many fit into an SM; the system keeps up to 1 KB of each. */
static size_t shared_for(int blocks_per_sm)
{
    const int share = ((dev.shared_per_sm - 1024) / blocks_per_sm - 1024) / 1024 * 1024;
    return std::min(share, dev.shared_per_block);
}

/* ------------------------------------------------------------------------------------------- threads per SM */

/* Each load's address needs the value of the load before it; a warp reads a whole line each time. */
__global__ void load_chain(float *out, const int *in, int step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        i += in[i] + step;
    if (i < 0)
        out[0] = i;
}

void measure_threads()
{
    for (int threads = 128; threads <= 2048; threads *= 2)
        report(chains_us<1>(dev.sms * (threads / 128), 128), "us", "threads.fma.%d", threads);
    for (int threads = 128; threads <= 2048; threads *= 2) {
        int all = dev.sms * threads;
        report(time_us([=](int) {
                   const int *in = (const int *)(dev.in + fresh_bytes((size_t)all * STEPS * sizeof(int)));
                   load_chain<<<all / 128, 128>>>((float *)dev.out, in, all, STEPS);
               }),
               "us", "threads.memory.%d", threads);
    }
}

/* ------------------------------------------------------------------------------------------- divergence */

/* Lane l takes way l % WAYS; all ways have the same number of FMAs, with constants of their own. */
template <int WAYS> __global__ void diverge(float *out, float c, int n)
{
    float a = threadIdx.x;
    int way = threadIdx.x % WAYS;
#pragma unroll
    for (int w = 0; w < WAYS; w++)
        if (way == w)
            for (int i = 0; i < n; i++)
#pragma unroll
                for (int j = 0; j < 16; j++)
                    a = fmaf(a, 0.5f + w / 128.0f, c);
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

template <int WAYS> static void report_divergence()
{
    report(time_us([](int) { diverge<WAYS><<<dev.sms * 8, 256>>>((float *)dev.out, 1.0f, 128); }), "us",
           "divergence.%d", WAYS);
}

void measure_divergence()
{
    report_divergence<1>();
    report_divergence<2>();
    report_divergence<4>();
    report_divergence<8>();
    report_divergence<16>();
    report_divergence<32>();
}

/* ------------------------------------------------------------------------------------------- trip counts */

__global__ void trip_loop(float *out, const int *trips, float b, float c)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, n = trips[id];
    float a = id;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            a = fmaf(a, b, c);
    out[id] = a;
}

static void report_trips(const char *name, const std::vector<int> &trips)
{
    check(cudaMemcpy(dev.in, trips.data(), trips.size() * sizeof(int), cudaMemcpyHostToDevice), "copy");
    report(time_us([&](int) {
               trip_loop<<<(unsigned)trips.size() / 256, 256>>>((float *)dev.out, (int *)dev.in, 0.5f, 1.0f);
           }),
           "us", "trips.%s", name);
    check(cudaMemset(dev.in, 0, trips.size() * sizeof(int)), "memory");
}

/* 1 to 127 trips, 64 on average: the same for all, at random, sorted within each block, sorted in the whole grid. */
void measure_trips()
{
    std::vector<int> trips((size_t)dev.sms * 2048 * 4, 64);
    report_trips("equal", trips);
    unsigned state = 12345;
    for (int &trip : trips) {
        state = state * 1664525u + 1013904223u;
        trip = 1 + (int)((state >> 16) % 127);
    }
    report_trips("random", trips);
    for (size_t i = 0; i < trips.size(); i += 256)
        std::sort(trips.begin() + i, trips.begin() + i + 256);
    report_trips("sorted_block", trips);
    std::sort(trips.begin(), trips.end());
    report_trips("sorted_grid", trips);
}

/* ------------------------------------------------------------------------------------------- occupancy */

static void report_by_shared(int blocks_per_sm)
{
    const int all = dev.sms * 2048 * 2;
    const size_t shared = blocks_per_sm == 8 ? 0 : shared_for(blocks_per_sm);
    cudaFuncSetAttribute(load_chain, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    report(time_us([=](int) {
               const int *in = (const int *)(dev.in + fresh_bytes((size_t)all * STEPS * sizeof(int)));
               load_chain<<<all / 256, 256, shared>>>((float *)dev.out, in, all, STEPS);
           }),
           "us", "occupancy.shared.%d", blocks_per_sm * 256);
}

/* LIVE values are kept over a chain of loads; MIN_BLOCKS per SM may force some of them into local memory. */
template <int LIVE, int MIN_BLOCKS>
__global__ void __launch_bounds__(256, MIN_BLOCKS) load_chain_live(float *out, const int *in, int step, int n)
{
    __shared__ volatile float few[256];
    float kept[LIVE];
    few[threadIdx.x] = threadIdx.x;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        kept[k] = few[k];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        int value;
        asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(value) : "l"(in + i));
        i += value + step;
    }
    float sum = i;
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        sum = fmaf(sum, 0.5f, kept[k]);
    if (i < 0)
        out[0] = sum;
}

template <int LIVE, int MIN_BLOCKS> static void report_by_registers(const char *name)
{
    const int all = dev.sms * 2048 * 2;
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, load_chain_live<LIVE, MIN_BLOCKS>), "attributes");
    report(attributes.numRegs, "registers", "occupancy.%s.registers", name);
    report(time_us([=](int) {
               const int *in = (const int *)(dev.in + fresh_bytes((size_t)all * STEPS * sizeof(int)));
               load_chain_live<LIVE, MIN_BLOCKS>
                   <<<all / 256, 256>>>((float *)dev.out, in, all, STEPS);
           }),
           "us", "occupancy.%s", name);
}

void measure_occupancy()
{
    for (int blocks = 8; blocks >= 1; blocks /= 2)
        report_by_shared(blocks);
    report_by_registers<8, 8>("live8");
    report_by_registers<44, 4>("live44");
    report_by_registers<100, 2>("live100");
    report_by_registers<200, 1>("live200");
    report_by_registers<100, 4>("live100.bound4");
    report_by_registers<100, 8>("live100.bound8");
}

/* ------------------------------------------------------------------------------------------- tail */

/* One wave, one block more, two waves, two and a half; with all threads an SM takes, and with one block per SM. */
void measure_tail()
{
    const int full = dev.sms * 8;
    report(chains_us<1>(full, 256), "us", "tail.full.1wave");
    report(chains_us<1>(full + 1, 256), "us", "tail.full.1wave_1block");
    report(chains_us<1>(full * 2, 256), "us", "tail.full.2waves");
    report(chains_us<1>(full * 5 / 2, 256), "us", "tail.full.2.5waves");
    const size_t shared = shared_for(1);
    report(chains_us<1>(dev.sms, 256, shared), "us", "tail.single.1wave");
    report(chains_us<1>(dev.sms + 1, 256, shared), "us", "tail.single.1wave_1block");
    report(chains_us<1>(dev.sms * 2, 256, shared), "us", "tail.single.2waves");
    report(chains_us<1>(dev.sms * 2 + 1, 256, shared), "us", "tail.single.2waves_1block");
}
