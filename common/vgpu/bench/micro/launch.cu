/* launch.cu - what it costs to start kernels and blocks, to meet at barriers, and to wait for one load after another.
 * Latencies are those of a single thread's chain, from the difference of two lengths.
 * Times of launches include what an event pair adds; param.launch.events is that alone. */
#include "micro.cuh"

#include <vector>

/* ------------------------------------------------------------------------------------------- launches */

__global__ void empty() {}

__global__ void empty_arguments(float *out, int n)
{
    if (n < 0)
        *out = n;
}

enum { HOLD = 150000 };

static double empties_us(int launches, int held)
{
    return time_us([=](int) {
        keep_busy(held);
        for (int i = 0; i < launches; i++)
            empty<<<1, 32>>>();
    });
}

void measure_launch()
{
    report(time_us([](int) {}), "us", "param.launch.events");
    report(time_us([](int) { empty<<<1, 32>>>(); }), "us", "param.launch.empty");
    report(time_us([](int) { empty_arguments<<<1, 32>>>((float *)dev.out, 1); }), "us", "param.launch.empty_arguments");
    report(time_us([](int) { empty<<<dev.sms, 1024>>>(); }), "us", "param.launch.empty_per_sm");
    report(time_us([](int) { empty<<<dev.sms * 2, 1024>>>(); }), "us", "param.launch.empty_wave");
    report((empties_us(40, 0) - empties_us(20, 0)) / 20, "us", "param.launch.next_by_host");
    report((empties_us(40, HOLD) - empties_us(20, HOLD)) / 20, "us", "param.launch.next");
    for (int threads = 32; threads <= 1024; threads *= 2) {
        const unsigned blocks = 1u << 17;
        const double us = time_us([=](int) { empty<<<2 * blocks, threads>>>(); }) -
                          time_us([=](int) { empty<<<blocks, threads>>>(); });
        report(us * 1e3 / blocks, "ns/block", "param.launch.block%d", threads);
        report(clocks(us) * dev.sms / blocks, "clk/block/SM", "param.launch.block%d.clk", threads);
    }
}

/* ------------------------------------------------------------------------------------------- barriers */

__global__ void barriers(float *out, int n)
{
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 16; j++)
            __syncthreads();
    if (n < 0)
        *out = n;
}

void measure_barriers()
{
    for (int blocks : {1, 2})
        for (int threads = 32; threads <= 1024; threads *= 2) {
            const double us = time_us([=](int) { barriers<<<dev.sms * blocks, threads>>>((float *)dev.out, 64); }) -
                              time_us([=](int) { barriers<<<dev.sms * blocks, threads>>>((float *)dev.out, 32); });
            report(clocks(us) / (32 * 16), "clk", "param.barrier.blocks%d.threads%d", blocks, threads);
        }
}

/* ------------------------------------------------------------------------------------------- latencies */

/* Writes a ring of pointers: element i points at element order[i], `spacing` bytes apart. One block. */
__global__ void make_ring(char *ring, const unsigned *order, unsigned count, size_t spacing)
{
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        *(const char **)(ring + i * spacing) = ring + order[i] * spacing;
}

__global__ void chase_l1(const char **out, const char *at, int n)
{
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at));
    *out = at;
}

__global__ void chase_l2(const char **out, const char *at, int n)
{
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    *out = at;
}

__global__ void chase_shared(unsigned *out, int n)
{
    __shared__ unsigned ring[256];
    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    for (unsigned i = 0; i < 256; i++)
        ring[i] = base + (i * 4 + 28) % 1024;
    unsigned at = base;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    *out = at;
}

static __constant__ unsigned steps[2048];

__global__ void chase_constant(unsigned *out, unsigned at, int n)
{
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            at = steps[at];
    *out = at;
}

__global__ void chase_atomic(unsigned *sum, unsigned *out, int n)
{
    unsigned at = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            at = atomicAdd(sum + at, 0u);
    *out = at;
}

/* A permutation with one cycle; the same everywhere. */
static std::vector<unsigned> random_cycle(unsigned count)
{
    std::vector<unsigned> walk(count), next(count);
    unsigned state = 777;
    for (unsigned i = 0; i < count; i++)
        walk[i] = i;
    for (unsigned i = count - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        std::swap(walk[i], walk[1 + (state >> 8) % i]);
    }
    for (unsigned i = 0; i < count; i++)
        next[walk[i]] = walk[(i + 1) % count];
    return next;
}

static std::vector<unsigned> ring_order(unsigned count, size_t spacing)
{
    std::vector<unsigned> order = random_cycle(count);
    unsigned *device_order = (unsigned *)dev.out;
    check(cudaMemcpy(device_order, order.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice), "copy");
    make_ring<<<1, 256>>>(dev.in, device_order, count, spacing);
    check(cudaDeviceSynchronize(), "ring");
    return order;
}

template <class LAUNCH> static void report_latency(const char *name, int n, LAUNCH launch)
{
    const double us = time_us([=](int) { launch(2 * n); }) - time_us([=](int) { launch(n); });
    report(clocks(us) / (n * 8), "clk", "param.latency.%s", name);
}

static void report_ring(const char *name, unsigned count, size_t spacing,
                        void (*chase)(const char **, const char *, int))
{
    ring_order(count, spacing);
    report_latency(name, 128, [=](int n) { chase<<<1, 1>>>((const char **)dev.out, dev.in, n); });
}

/* Each launch walks a part of the ring that no launch has touched since the ring was pushed out of L2. */
static void report_dram_latency(const char *name, size_t spacing)
{
    const unsigned count = 1u << 16;
    std::vector<unsigned> order = ring_order(count, spacing);
    check(cudaMemset(dev.out, 0, ARENA_BYTES), "memory");
    unsigned at = 0;
    auto walk = [&](int n) {
        chase_l2<<<1, 1>>>((const char **)dev.out, dev.in + at * spacing, n);
        for (int i = 0; i < n * 8; i++)
            at = order[at];
    };
    const double us = time_us([&](int) { walk(256); }) - time_us([&](int) { walk(128); });
    report(clocks(us) / (128 * 8), "clk", "param.latency.%s", name);
}

void measure_latency()
{
    report_ring("l1", 64, 128, chase_l1);
    report_ring("l2", 64, 128, chase_l2);
    report_ring("l2.2mb", 2048, 1024, chase_l2);
    report_ring("l2.16mb", 2048, 8192, chase_l2);
    report_ring("l1_miss.16mb", 2048, 8192, chase_l1);
    report_dram_latency("dram.64mb", 1024);
    report_dram_latency("dram.256mb", 4096);
    check(cudaMemset(dev.in, 0, ARENA_BYTES), "memory");
    report_latency("shared", 512, [=](int n) { chase_shared<<<1, 1>>>((unsigned *)dev.out, n); });
    report_latency("constant", 256, [=](int n) { chase_constant<<<1, 1>>>((unsigned *)dev.out, 0, n); });
    report_latency("atomic", 128, [=](int n) {
        chase_atomic<<<1, 1>>>((unsigned *)dev.in, (unsigned *)dev.out, n);
    });
}
