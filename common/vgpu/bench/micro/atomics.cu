/* atomics.cu - atomic additions: who adds where, and whether the old value is wanted.
 * ptxas may add up within a warp where it sees one address for all; "hidden" keeps the address from it.
 * Each kernel is launched over about a million threads, one addition each; shared memory gets many per thread. */
#include "micro.cuh"

/* ------------------------------------------------------------------------------------------- global memory */

__global__ void add_one(unsigned *sum) { atomicAdd(sum, 1u); }

__global__ void add_value(unsigned *sum) { atomicAdd(sum, threadIdx.x); }

__global__ void add_float(float *sum) { atomicAdd(sum, 1.0f); }

/* `zero` is 0, which only the host knows. */
__global__ void add_hidden(unsigned *sum, unsigned zero) { atomicAdd(sum + threadIdx.x * zero, 1u); }

__global__ void add_float_hidden(float *sum, unsigned zero) { atomicAdd(sum + threadIdx.x * zero, 1.0f); }

__global__ void add_result(unsigned *sum, unsigned *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(sum, 1u);
}

__global__ void add_hidden_result(unsigned *sum, unsigned *out, unsigned zero)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(sum + threadIdx.x * zero, 1u);
}

__global__ void add_per_warp(unsigned *sum)
{
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, 1u);
}

__global__ void add_per_block(unsigned *sum)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, 1u);
}

__global__ void add_own(unsigned *sums) { atomicAdd(&sums[blockIdx.x * blockDim.x + threadIdx.x], 1u); }

__global__ void add_own_float(float *sums) { atomicAdd(&sums[blockIdx.x * blockDim.x + threadIdx.x], 1.0f); }

__global__ void add_own_result(unsigned *sums, unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = atomicAdd(&sums[i], 1u);
}

/* Lanes beside each other add to words `stride` apart, to `apart` of them; the next `apart` lanes begin again. */
template <class T> __global__ void add_strided(T *sums, int apart, int stride, T one)
{
    atomicAdd(&sums[(size_t)(threadIdx.x % 32 % apart) * stride], one);
}

/* One lane of each warp adds a float. */
__global__ void add_float_per_warp(float *sum)
{
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, 1.0f);
}

/* Anywhere among `count` sums, a power of two: a histogram. */
__global__ void add_scattered(unsigned *sums, unsigned count)
{
    unsigned hash = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    atomicAdd(&sums[(hash ^ hash >> 13) & (count - 1)], 1u);
}

__global__ void add_nothing(unsigned *sum, unsigned limit)
{
    if (threadIdx.x > limit)
        atomicAdd(sum, 1u);
}

/* ------------------------------------------------------------------------------------------- shared memory */

/* Lanes whose number is equal modulo `distinct` share a word. */
template <class T> __global__ void add_shared(T *out, int distinct, T one, int n)
{
    __shared__ T sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++)
        atomicAdd(&sums[threadIdx.x % distinct], one);
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x];
}

/* On SMs that are full of blocks, each with its own words. */
static void report_shared_full(int distinct)
{
    const double us = time_us([=](int) {
        add_shared<<<dev.sms * 8, 256>>>((float *)dev.out, distinct, 1.0f, 64);
    });
    report(us, "us", "atomics.shared.full.float.distinct%d", distinct);
}

template <class T> static void report_strided(const char *type, int apart, int bytes)
{
    const unsigned blocks = dev.sms * 8 * 4;
    const double us = time_us([=](int) {
        add_strided<<<blocks, 256>>>((T *)dev.out, apart, bytes / (int)sizeof(T), T(1));
    });
    report(us, "us", "atomics.strided.%s.%dx%d", type, apart, bytes);
}

template <class T> static void report_shared(const char *type, int distinct)
{
    const double us =
        time_us([=](int) { add_shared<T><<<dev.sms, 256>>>((T *)dev.out, distinct, T(1), 64); }),
        twice = time_us([=](int) { add_shared<T><<<dev.sms, 256>>>((T *)dev.out, distinct, T(1), 128); });
    report(us, "us", "atomics.shared.%s.distinct%d", type, distinct);
    report(clocks(twice - us) / (64 * 8), "clk/request/SM", "param.atomic.shared.%s.distinct%d", type, distinct);
}

void measure_atomics()
{
    unsigned *sums = (unsigned *)dev.out, *out = sums + (1 << 24);
    float *floats = (float *)dev.out;
    const unsigned blocks = dev.sms * 8 * 4, threads = 256;
    const struct {
        const char *name;
        std::function<void(int)> launch;
    } rows[] = {
        {"none", [=](int) { add_nothing<<<blocks, threads>>>(sums, threads); }},
        {"one", [=](int) { add_one<<<blocks, threads>>>(sums); }},
        {"one.value", [=](int) { add_value<<<blocks, threads>>>(sums); }},
        {"one.hidden", [=](int) { add_hidden<<<blocks, threads>>>(sums, 0); }},
        {"one.float", [=](int) { add_float<<<blocks, threads>>>(floats); }},
        {"one.float.hidden", [=](int) { add_float_hidden<<<blocks, threads>>>(floats, 0); }},
        {"one.result", [=](int) { add_result<<<blocks, threads>>>(sums, out); }},
        {"one.hidden.result", [=](int) { add_hidden_result<<<blocks, threads>>>(sums, out, 0); }},
        {"warp.float", [=](int) { add_float_per_warp<<<blocks, threads>>>(floats); }},
        {"warp", [=](int) { add_per_warp<<<blocks, threads>>>(sums); }},
        {"block", [=](int) { add_per_block<<<blocks, threads>>>(sums); }},
        {"own", [=](int) { add_own<<<blocks, threads>>>(sums); }},
        {"own.float", [=](int) { add_own_float<<<blocks, threads>>>(floats); }},
        {"own.result", [=](int) { add_own_result<<<blocks, threads>>>(sums, out); }},
        {"scattered.16", [=](int) { add_scattered<<<blocks, threads>>>(sums, 16); }},
        {"scattered.256", [=](int) { add_scattered<<<blocks, threads>>>(sums, 256); }},
        {"scattered.4096", [=](int) { add_scattered<<<blocks, threads>>>(sums, 4096); }},
        {"scattered.4194304", [=](int) { add_scattered<<<blocks, threads>>>(sums, 1 << 22); }},
    };
    double none = 0;
    for (auto &row : rows) {
        const double us = time_us(row.launch);
        none = none ? none : us;
        report(us, "us", "atomics.%s", row.name);
        if (us > none)
            report((double)blocks * threads / clocks(us - none), "threads/clk", "param.atomic.%s", row.name);
    }
    for (int bytes : {32, 64, 128, 256, 512, 1024, 4096})
        for (int apart : {2, 8})
            report_strided<unsigned>("int", apart, bytes);
    for (int bytes : {32, 4096})
        report_strided<float>("float", 4, bytes);
    for (int distinct : {1, 4, 32})
        report_shared_full(distinct);
    for (int distinct : {1, 2, 4, 8, 16, 32}) {
        report_shared<unsigned>("int", distinct);
        report_shared<float>("float", distinct);
    }
}
