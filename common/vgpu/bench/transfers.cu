/* transfers.cu - times of copies, launches, streams and events: one line `name,value,unit` for each figure.
 * Plain CUDA: the same program measures a GPU and the virtual GPU, whose host clock is then the virtual one.
 * Kernels only wait for a number of clocks, so that no figure depends on how fast arithmetic is; but those of the group
 * `sharing` compete for memory and units.
 * Arguments: the largest copy in MB (64 or more, 256 unless told), and the one group of figures to measure.
 *
 *   build/vgpucc -O3 common/vgpu/bench/transfers.cu -o transfers && ./transfers
 *   nvcc -O3 -arch=native common/vgpu/bench/transfers.cu -o transfers && ./transfers > h200/transfers.csv */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

extern "C" double vgpu_time_us(void) __attribute__((weak));

#define CHECK(call) check((call), __LINE__)

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "transfers.cu:%d: %s\n", line, cudaGetErrorString(error));
    exit(1);
}

static bool is_virtual(void)
{
    return vgpu_time_us != nullptr;
}

static double now_us(void)
{
    if (is_virtual())
        return vgpu_time_us();
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void print(const std::string &name, double value, const char *unit)
{
    printf("%s,%.3f,%s\n", name.c_str(), value, unit);
}

/* The median of many runs on hardware; the virtual clock gives the same every time. */
static double median_of(int runs, const std::function<double()> &measure)
{
    std::vector<double> values;
    if (is_virtual())
        return measure();
    measure();
    for (int i = 0; i < runs; i++)
        values.push_back(measure());
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/* Host time of an action on an idle device, without and with waiting for its end. */
static double call_us(const std::function<void()> &action)
{
    CHECK(cudaDeviceSynchronize());
    const double start = now_us();
    action();
    const double end = now_us();
    CHECK(cudaDeviceSynchronize());
    return end - start;
}

static double done_us(const std::function<void()> &action)
{
    CHECK(cudaDeviceSynchronize());
    const double start = now_us();
    action();
    CHECK(cudaDeviceSynchronize());
    return now_us() - start;
}

static cudaEvent_t first, last;

static double event_us(cudaStream_t stream, const std::function<void()> &action)
{
    float ms;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(first, stream));
    action();
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, first, last));
    return ms * 1e3;
}

__global__ void empty()
{
}

__global__ void spin(long long clocks)
{
    const long long start = clock64();
    while (clock64() - start < clocks)
        ;
}

enum { RUNS = 21, THREADS = 256, STREAMS = 16, CHUNK_STREAMS = 8 };
static const size_t MB = 1 << 20, WORK = 64 * MB;
static size_t largest = 256 * MB;
static char *device, *other, *pinned, *back, *pageable, *pageable_back;
static cudaStream_t streams[STREAMS];
static int sms, whole; /* blocks of THREADS that fill the GPU */
static double clocks_per_us;

static std::string size_name(size_t bytes)
{
    return bytes < MB ? std::to_string(bytes >> 10) + "K" : std::to_string(bytes >> 20) + "M";
}

static void prepare(void)
{
    int khz, threads;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    clocks_per_us = khz / 1e3;
    whole = sms * (threads / THREADS);
    CHECK(cudaMalloc(&device, largest));
    CHECK(cudaMalloc(&other, largest));
    CHECK(cudaMallocHost(&pinned, largest));
    CHECK(cudaMallocHost(&back, largest));
    pageable = (char *)malloc(largest);
    pageable_back = (char *)malloc(largest);
    memset(pageable, 1, largest);
    memset(pageable_back, 1, largest);
    memset(pinned, 1, largest);
    CHECK(cudaMemset(device, 0, largest));
    CHECK(cudaMemset(other, 0, largest));
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&last));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

/* ---- copies ---- */

static void measure_copy(const char *name, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const std::string base = std::string(name) + "_" + size_name(bytes);
    const int runs = bytes > 16 * MB ? 7 : RUNS;
    print(base + "_sync", median_of(runs, [=] { return call_us([=] { CHECK(cudaMemcpy(to, from, bytes, kind)); }); }), "us");
    const auto async = [=] { CHECK(cudaMemcpyAsync(to, from, bytes, kind, streams[0])); };
    print(base + "_return", median_of(runs, [=] { return call_us(async); }), "us");
    print(base + "_events", median_of(runs, [=] { return event_us(streams[0], async); }), "us");
}

static void measure_sizes(void)
{
    for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
        measure_copy("h2d_pinned", device, pinned, bytes, cudaMemcpyHostToDevice);
        measure_copy("d2h_pinned", back, device, bytes, cudaMemcpyDeviceToHost);
        measure_copy("h2d_pageable", device, pageable, bytes, cudaMemcpyHostToDevice);
        measure_copy("d2h_pageable", pageable_back, device, bytes, cudaMemcpyDeviceToHost);
        measure_copy("d2d", other, device, bytes, cudaMemcpyDeviceToDevice);
        const auto fill = [=] { CHECK(cudaMemsetAsync(device, 0, bytes, streams[0])); };
        print("memset_" + size_name(bytes) + "_return", median_of(RUNS, [=] { return call_us(fill); }), "us");
        print("memset_" + size_name(bytes) + "_events", median_of(RUNS, [=] { return event_us(streams[0], fill); }), "us");
    }
    print("d2h_pageable_4B_sync", median_of(RUNS, [] {
              return call_us([] { CHECK(cudaMemcpy(pageable_back, device, 4, cudaMemcpyDeviceToHost)); }); }), "us");
    print("h2d_pageable_4B_sync", median_of(RUNS, [] {
              return call_us([] { CHECK(cudaMemcpy(device, pageable, 4, cudaMemcpyHostToDevice)); }); }), "us");
}

/* Within the device, 64 MB as rows of so many bytes. */
static void measure_rows(void)
{
    const size_t all = 64 << 20;
    for (size_t row : {64, 256, 1024, 4096, 16384}) {
        const auto copy = [=] {
            CHECK(cudaMemcpy2DAsync(other, row, device, row, row, all / row, cudaMemcpyDeviceToDevice, streams[0]));
        };
        print("d2d_rows_of_" + std::to_string(row) + "_events",
              median_of(RUNS, [=] { return event_us(streams[0], copy); }), "us");
    }
}

static double both_ways_us(cudaStream_t a, cudaStream_t b)
{
    return done_us([=] {
        CHECK(cudaMemcpyAsync(device, pinned, WORK, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(back, other, WORK, cudaMemcpyDeviceToHost, b));
    });
}

static double same_way_us(cudaStream_t a, cudaStream_t b)
{
    return done_us([=] {
        CHECK(cudaMemcpyAsync(device, pinned, WORK, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(other, back, WORK, cudaMemcpyHostToDevice, b));
    });
}

/* ---- copy, compute, copy back, in chunks ---- */

static double chunked_us(int chunks, char *source, char *result, double kernel_us)
{
    const size_t part = WORK / chunks;
    const long long clocks = (long long)(kernel_us * clocks_per_us / chunks);
    return done_us([=] {
        for (int i = 0; i < chunks; i++) {
            const size_t at = i * part;
            cudaStream_t stream = streams[i % CHUNK_STREAMS];
            CHECK(cudaMemcpyAsync(device + at, source + at, part, cudaMemcpyHostToDevice, stream));
            spin<<<whole, THREADS, 0, stream>>>(clocks);
            CHECK(cudaMemcpyAsync(result + at, device + at, part, cudaMemcpyDeviceToHost, stream));
        }
    });
}

static void measure_directions(void)
{
    print("both_ways_one_stream", median_of(7, [] { return both_ways_us(streams[0], streams[0]); }), "us");
    print("both_ways_two_streams", median_of(7, [] { return both_ways_us(streams[0], streams[1]); }), "us");
    print("same_way_one_stream", median_of(7, [] { return same_way_us(streams[0], streams[0]); }), "us");
    print("same_way_two_streams", median_of(7, [] { return same_way_us(streams[0], streams[1]); }), "us");
}

static void measure_chunks(void)
{
    for (double kernel_us : {300.0, 1200.0, 4800.0})
        for (int chunks = 1; chunks <= 32; chunks *= 2)
            print("chunks_" + std::to_string(chunks) + "_kernel_" + std::to_string((int)kernel_us),
                  median_of(7, [=] { return chunked_us(chunks, pinned, back, kernel_us); }), "us");
    for (int chunks = 1; chunks <= 8; chunks *= 2)
        print("chunks_" + std::to_string(chunks) + "_pageable_kernel_1200",
              median_of(7, [=] { return chunked_us(chunks, pageable, pageable_back, 1200); }), "us");
    print("kernel_1200", median_of(7, [] {
              return done_us([] { spin<<<whole, THREADS, 0, streams[0]>>>((long long)(1200 * clocks_per_us)); }); }), "us");
}

/* ---- launches ---- */

static void launch_many(int count, int blocks, double us, int nstreams)
{
    for (int i = 0; i < count; i++)
        spin<<<blocks, THREADS, 0, streams[i % nstreams]>>>((long long)(us * clocks_per_us));
}

static cudaGraphExec_t make_graph(int count)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; i++)
        empty<<<1, 32, 0, streams[0]>>>();
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, streams[0]));
    return exec;
}

static void measure_launches(void)
{
    const auto one = [] { empty<<<1, 32, 0, streams[0]>>>(); };
    const auto many = [] { for (int i = 0; i < 500; i++) empty<<<1, 32, 0, streams[0]>>>(); };
    const auto long_ones = [] { launch_many(100, 1, 10, 1); };
    print("launch_return", median_of(RUNS, [=] { return call_us(one); }), "us");
    print("launch_done", median_of(RUNS, [=] { return done_us(one); }), "us");
    print("launch_events", median_of(RUNS, [=] { return event_us(streams[0], one); }), "us");
    print("launch_full_events", median_of(RUNS, [=] { return event_us(streams[0], [] { empty<<<whole, THREADS, 0, streams[0]>>>(); }); }), "us");
    print("launches_500_return_each", median_of(RUNS, [=] { return call_us(many) / 500; }), "us");
    print("launches_500_done_each", median_of(RUNS, [=] { return done_us(many) / 500; }), "us");
    print("launches_500_events_each", median_of(RUNS, [=] { return event_us(streams[0], many) / 500; }), "us");
    print("spins_10us_100_events_each", median_of(RUNS, [=] { return event_us(streams[0], long_ones) / 100; }), "us");
    print("spin_10us_events", median_of(RUNS, [=] { return event_us(streams[0], [] { launch_many(1, 1, 10, 1); }); }), "us");
    print("spin_10us_full_events", median_of(RUNS, [=] { return event_us(streams[0], [] { launch_many(1, whole, 10, 1); }); }), "us");
    for (int count : {1, 10, 100}) {
        cudaGraphExec_t exec = make_graph(count);
        const auto launch = [=] { CHECK(cudaGraphLaunch(exec, streams[0])); };
        const std::string base = "graph_" + std::to_string(count);
        print(base + "_return", median_of(RUNS, [=] { return call_us(launch); }), "us");
        print(base + "_done", median_of(RUNS, [=] { return done_us(launch); }), "us");
        print(base + "_events", median_of(RUNS, [=] { return event_us(streams[0], launch); }), "us");
    }
}

static void measure_concurrency(void)
{
    const struct { const char *name; int numerator, denominator; } parts[] = {
        {"one_block", 0, 1}, {"quarter", 1, 4}, {"half", 1, 2}, {"three_quarters", 3, 4}, {"whole", 1, 1}};
    for (const auto &part : parts) {
        const int blocks = std::max(1, whole * part.numerator / part.denominator);
        for (int n : {1, 2, 4})
            print(std::string("kernels_4_") + part.name + "_streams_" + std::to_string(n),
                  median_of(RUNS, [=] { return done_us([=] { launch_many(4, blocks, 200, n); }); }), "us");
    }
}

/* ---- kernels that compete: sixteen of them, each with a sixteenth of the work and a part of the GPU's places ---- */

enum { TILE = 32, WIDTH = 4096, TILES_ACROSS = WIDTH / TILE, TILES = TILES_ACROSS * TILES_ACROSS, KERNELS = 16 };

/* A kernel's share of the work, in tiles of one matrix; block b does every gridDim.x-th of them. */
struct share {
    float *out;
    const float *in;
    int first, end;
};

__global__ void copy_tiles(share s)
{
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (int t = s.first + blockIdx.x; t < s.end; t += gridDim.x) {
        const int row = t / TILES_ACROSS * TILE, column = t % TILES_ACROSS * TILE;
        for (int j = y; j < TILE; j += THREADS / TILE)
            s.out[(row + j) * WIDTH + column + x] = s.in[(row + j) * WIDTH + column + x];
    }
}

__global__ void transpose_tiles(share s)
{
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (int t = s.first + blockIdx.x; t < s.end; t += gridDim.x) {
        const int row = t / TILES_ACROSS * TILE, column = t % TILES_ACROSS * TILE;
        for (int j = y; j < TILE; j += THREADS / TILE)
            s.out[(column + x) * WIDTH + row + j] = s.in[(row + j) * WIDTH + column + x];
    }
}

__global__ void transpose_shared(share s)
{
    __shared__ float tile[TILE][TILE + 1];
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (int t = s.first + blockIdx.x; t < s.end; t += gridDim.x) {
        const int row = t / TILES_ACROSS * TILE, column = t % TILES_ACROSS * TILE;
        for (int j = y; j < TILE; j += THREADS / TILE)
            tile[j][x] = s.in[(row + j) * WIDTH + column + x];
        __syncthreads();
        for (int j = y; j < TILE; j += THREADS / TILE)
            s.out[(column + j) * WIDTH + row + x] = tile[x][j];
        __syncthreads();
    }
}

/* Sixteen kernels read 1 MB each again and again: it stays in L2, and is too much for L1. */
__global__ void read_l2(share s)
{
    float sum = 0;
    const int first = s.first / (TILES / KERNELS) * (MB / 4), n = MB / 4;
    for (int turn = 0; turn < 16; turn++)
        for (int i = (blockIdx.x + turn) * THREADS + threadIdx.x; i < n + turn * THREADS; i += gridDim.x * THREADS)
            sum += __ldcg(&s.in[first + i % n]);
    if (sum == 1)
        s.out[first] = sum;
}

/* Arithmetic alone; one warp of each scheduler leaves three quarters of it free. */
__global__ void multiply(share s)
{
    float a = threadIdx.x, b = 1, c = 2, d = 3;
    for (int i = 0; i < (s.end - s.first) * 1024 / (int)gridDim.x; i++) {
        a = a * 0.5f + b;
        b = b * 0.5f + c;
        c = c * 0.5f + d;
        d = d * 0.5f + a;
    }
    if (a + b + c + d == 1)
        s.out[s.first] = a;
}

/* All begin when a kernel that holds them back is over, so that the host's pace does not count. */
static double competing_us(void (*kernel)(share), int blocks, int nstreams)
{
    static cudaEvent_t joined;
    float ms;
    if (!joined)
        CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
    spin<<<1, 32, 0, streams[0]>>>((long long)(500 * clocks_per_us));
    CHECK(cudaEventRecord(first, streams[0]));
    for (int i = 1; i < nstreams; i++)
        CHECK(cudaStreamWaitEvent(streams[i], first));
    for (int i = 0; i < KERNELS; i++)
        kernel<<<blocks, THREADS, 0, streams[i % nstreams]>>>(
            share{(float *)other, (const float *)device, i * (TILES / KERNELS), (i + 1) * (TILES / KERNELS)});
    for (int i = 1; i < nstreams; i++) {
        CHECK(cudaEventRecord(joined, streams[i]));
        CHECK(cudaStreamWaitEvent(streams[0], joined));
    }
    CHECK(cudaEventRecord(last, streams[0]));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, first, last));
    return ms * 1e3;
}

static void measure_sharing(void)
{
    const struct { const char *name; void (*kernel)(share); } kernels[] = {
        {"copy", copy_tiles}, {"naive_transpose", transpose_tiles}, {"transpose", transpose_shared},
        {"read_l2", read_l2}, {"multiply", multiply}};
    const struct { const char *name; int parts; } parts[] = {
        {"sixteenth", 16}, {"quarter", 4}, {"whole", 1}};
    for (const auto &kernel : kernels)
        for (const auto &part : parts)
            for (int n : {1, 16})
                print(std::string("sharing_") + kernel.name + "_" + part.name + "_streams_" + std::to_string(n),
                      median_of(RUNS, [=] { return competing_us(kernel.kernel, whole / part.parts, n); }), "us");
}

/* ---- events and waiting ---- */

static double handover_us(void)
{
    static cudaEvent_t ready;
    if (!ready)
        CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    return done_us([] {
        spin<<<1, 32, 0, streams[0]>>>((long long)(50 * clocks_per_us));
        CHECK(cudaEventRecord(ready, streams[0]));
        CHECK(cudaStreamWaitEvent(streams[1], ready, 0));
        spin<<<1, 32, 0, streams[1]>>>((long long)(50 * clocks_per_us));
    });
}

/* How long a copy call holds the host while its stream is busy for 500 us. */
static void measure_behind(const char *name, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    print("behind_kernel_" + std::string(name) + "_" + size_name(bytes) + "_return", median_of(RUNS, [=] {
              CHECK(cudaDeviceSynchronize());
              launch_many(1, 1, 500, 1);
              const double start = now_us();
              CHECK(cudaMemcpyAsync(to, from, bytes, kind, streams[0]));
              return now_us() - start; }), "us");
}

static double three_spins_us(cudaStream_t a, cudaStream_t b, cudaStream_t c)
{
    return done_us([=] {
        for (cudaStream_t stream : {a, b, c})
            spin<<<1, 32, 0, stream>>>((long long)(100 * clocks_per_us));
    });
}

static void measure_default_stream(void)
{
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    print("three_spins_100us_default_between", median_of(RUNS, [=] { return three_spins_us(a, 0, b); }), "us");
    print("three_spins_100us_default_and_nonblocking", median_of(RUNS, [] { return three_spins_us(streams[0], 0, streams[1]); }), "us");
}

static double copy_event_kernel_us(void)
{
    static cudaEvent_t ready;
    if (!ready)
        CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    return done_us([] {
        CHECK(cudaMemcpyAsync(device, pinned, MB, cudaMemcpyHostToDevice, streams[0]));
        CHECK(cudaEventRecord(ready, streams[0]));
        CHECK(cudaStreamWaitEvent(streams[1], ready, 0));
        spin<<<1, 32, 0, streams[1]>>>((long long)(50 * clocks_per_us));
    });
}

static void measure_events(void)
{
    print("events_nothing_between", median_of(RUNS, [] { return event_us(streams[0], [] {}); }), "us");
    print("event_record_return", median_of(RUNS, [] { return call_us([] { CHECK(cudaEventRecord(first, streams[0])); }); }), "us");
    print("event_query_return", median_of(RUNS, [] { return call_us([] { CHECK(cudaEventQuery(first)); }); }), "us");
    print("stream_wait_return", median_of(RUNS, [] { return call_us([] { CHECK(cudaStreamWaitEvent(streams[1], first, 0)); }); }), "us");
    print("stream_sync_idle", median_of(RUNS, [] { return call_us([] { CHECK(cudaStreamSynchronize(streams[0])); }); }), "us");
    print("device_sync_idle", median_of(RUNS, [] { return call_us([] { CHECK(cudaDeviceSynchronize()); }); }), "us");
    print("two_spins_50us_one_stream", median_of(RUNS, [] { return done_us([] { launch_many(2, 1, 50, 1); }); }), "us");
    print("two_spins_50us_by_event", median_of(RUNS, handover_us), "us");
    print("copy_then_kernel_64K", median_of(RUNS, [] { return event_us(streams[0], [] {
              CHECK(cudaMemcpyAsync(device, pinned, 65536, cudaMemcpyHostToDevice, streams[0]));
              launch_many(1, 1, 10, 1); }); }), "us");
    print("kernel_then_copy_64K", median_of(RUNS, [] { return event_us(streams[0], [] {
              launch_many(1, 1, 10, 1);
              CHECK(cudaMemcpyAsync(back, device, 65536, cudaMemcpyDeviceToHost, streams[0])); }); }), "us");
    print("copy_1M_then_spin_50us_one_stream", median_of(RUNS, [] { return done_us([] {
              CHECK(cudaMemcpyAsync(device, pinned, MB, cudaMemcpyHostToDevice, streams[0]));
              launch_many(1, 1, 50, 1); }); }), "us");
    print("copy_1M_then_spin_50us_by_event", median_of(RUNS, copy_event_kernel_us), "us");
    print("copies_4K_100_events_each", median_of(RUNS, [] { return event_us(streams[0], [] {
              for (int i = 0; i < 100; i++)
                  CHECK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, streams[0])); }) / 100; }), "us");
}

static void measure_waiting(void)
{
    measure_behind("h2d_pinned", device, pinned, MB, cudaMemcpyHostToDevice);
    measure_behind("h2d_pageable", device, pageable, 16 << 10, cudaMemcpyHostToDevice);
    measure_behind("h2d_pageable", device, pageable, 64 << 10, cudaMemcpyHostToDevice);
    measure_behind("h2d_pageable", device, pageable, 256 << 10, cudaMemcpyHostToDevice);
    measure_behind("h2d_pageable", device, pageable, 16 * MB, cudaMemcpyHostToDevice);
    measure_behind("d2h_pageable", pageable_back, device, 16 << 10, cudaMemcpyDeviceToHost);
}

static void measure_device(void)
{
    int engines;
    CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
    print("copy_engines", engines, "engines");
    print("clock", clocks_per_us, "MHz");
}

static const struct {
    const char *name;
    void (*measure)(void);
} groups[] = {{"device", measure_device},           {"sizes", measure_sizes}, {"rows", measure_rows},
              {"directions", measure_directions},   {"chunks", measure_chunks},
              {"launches", measure_launches},       {"concurrency", measure_concurrency},
              {"sharing", measure_sharing},         {"events", measure_events},
              {"waiting", measure_waiting},         {"default-stream", measure_default_stream}};

int main(int argc, char **argv)
{
    if (argc > 1)
        largest = std::max(WORK, atoi(argv[1]) * MB);
    prepare();
    for (const auto &group : groups)
        if (argc < 3 || !strcmp(argv[2], group.name))
            group.measure();
    return 0;
}
