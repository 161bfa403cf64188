/* calls.cu - what calls cost the host and the front end of a GPU: one line of seven figures, in us, for each action.
 * Plain CUDA: the same program measures a GPU and the virtual GPU, whose host clock is then the virtual one.
 * Kernels are empty, short or only wait, so that no figure depends on how fast arithmetic is. Times are medians.
 *
 *   return_idle   host time of the action on an idle device
 *   done_idle     the same with waiting for its end
 *   events_idle   between two events, the device idle before
 *   loop          between two events, many times without a wait, as steps.cu measures: the host runs ahead where it can
 *   loop_host     host time of one such turn, with its two events
 *   held          between two events behind a long kernel: all is queued, only the device counts; 0 for calls that wait
 *   return_held   host time of the action behind a kernel of 200 us
 *
 *   build/vgpucc -O2 common/vgpu/bench/calls.cu -o calls && ./calls
 *   nvcc -O2 -arch=native common/vgpu/bench/calls.cu -o calls && ./calls > h200/calls.csv */
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
    fprintf(stderr, "calls.cu:%d: %s\n", line, cudaGetErrorString(error));
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

/* ---- kernels, streams, memory ---- */

enum { STREAMS = 16, TURNS = 31, SMALL_BLOCKS = 16, BLOCK = 256, SMALL_N = SMALL_BLOCKS * BLOCK };
static const size_t KB = 1 << 10, MB = 1 << 20, MOST_BYTES = 64 * MB;

typedef std::function<void()> action;

static cudaEvent_t begin[TURNS], end[TURNS], timed[STREAMS], untimed[STREAMS], fork_event;
static cudaStream_t streams[STREAMS];
static float *out, *in;
static char *device, *other, *pinned, *pageable;
static double clocks_per_us;

__global__ void empty()
{
}

/* A small kernel that reads and writes. */
__global__ void turn(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 0.75f + 0.125f;
}

__global__ void spin(long long clocks)
{
    const long long start = clock64();
    while (clock64() - start < clocks)
        ;
}

static void wait_for(double us, cudaStream_t stream = 0)
{
    spin<<<1, 32, 0, stream>>>((long long)(us * clocks_per_us));
}

static void prepare_host(void)
{
    CHECK(cudaMallocHost(&pinned, 4 * MB));
    pageable = (char *)malloc(4 * MB);
    memset(pinned, 1, 4 * MB);
    memset(pageable, 1, 4 * MB);
}

static void prepare_device(void)
{
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    clocks_per_us = khz / 1e3;
    CHECK(cudaMalloc(&out, SMALL_N * sizeof *out));
    CHECK(cudaMalloc(&in, SMALL_N * sizeof *in));
    CHECK(cudaMemset(in, 0, SMALL_N * sizeof *in));
    CHECK(cudaMalloc(&device, MOST_BYTES));
    CHECK(cudaMalloc(&other, MOST_BYTES));
    CHECK(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
    for (int i = 0; i < TURNS; i++) {
        CHECK(cudaEventCreate(&begin[i]));
        CHECK(cudaEventCreate(&end[i]));
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaEventCreate(&timed[i]));
        CHECK(cudaEventCreateWithFlags(&untimed[i], cudaEventDisableTiming));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
}

/* ---- the seven ways to measure ---- */

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/* The median of many runs on hardware, each on an idle device; the virtual clock gives the same every time. */
static double median_of(const std::function<double()> &measure)
{
    std::vector<double> values;
    for (int i = 0; i < (is_virtual() ? 1 : 25); i++) {
        CHECK(cudaDeviceSynchronize());
        values.push_back(measure());
    }
    return median(values);
}

static double call_us(const action &act, bool is_waiting)
{
    const double start = now_us();
    act();
    if (is_waiting)
        CHECK(cudaDeviceSynchronize());
    return now_us() - start;
}

static void between_events(const action &act, int i)
{
    CHECK(cudaEventRecord(begin[i]));
    act();
    CHECK(cudaEventRecord(end[i]));
}

static double between_us(int i)
{
    float ms;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, begin[i], end[i]));
    return ms * 1e3;
}

/* After a few turns the virtual clock repeats itself. */
static double loop_us(const action &act, double *host_us)
{
    const int turns = is_virtual() ? 5 : TURNS;
    std::vector<double> values;
    act();
    act();
    const double start = now_us();
    for (int i = 0; i < turns; i++)
        between_events(act, i);
    *host_us = (now_us() - start) / turns;
    for (int i = 0; i < turns; i++)
        values.push_back(between_us(i));
    return median(values);
}

static double loop_host_us(const action &act)
{
    double host_us;
    loop_us(act, &host_us);
    return host_us;
}

/* hold_us: long enough for the host to queue all of the action; 0: the action waits. */
static void row(const std::string &name, const action &act, double hold_us = 300)
{
    double ignored;
    const double returned = median_of([&] { return call_us(act, false); });
    const double done = median_of([&] { return call_us(act, true); });
    const double events = median_of([&] { return between_events(act, 0), between_us(0); });
    const double loop = median_of([&] { return loop_us(act, &ignored); });
    const double loop_host = median_of([&] { return loop_host_us(act); });
    const double held = median_of([&] { return wait_for(hold_us), between_events(act, 0), between_us(0); });
    const double returned_held = median_of([&] { return wait_for(200), call_us(act, false); });
    printf("%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", name.c_str(), returned, done, events, loop, loop_host,
           hold_us > 0 ? held : 0, returned_held);
    fflush(stdout);
}

/* Only return_idle. */
static void short_row(const std::string &name, const action &act)
{
    printf("%s,%.3f,,,,,,\n", name.c_str(), median_of([&] { return call_us(act, false); }));
}

static void repeat(const std::string &name, int count, const action &act, double hold_us = 300)
{
    row(name + "_" + std::to_string(count), [=] {
        for (int i = 0; i < count; i++)
            act();
    }, hold_us);
}

/* ---- events and waits ---- */

static void record_all(const cudaEvent_t *events, int count)
{
    for (int i = 0; i < count; i++)
        CHECK(cudaEventRecord(events[i]));
}

static void wait_in_streams(int count)
{
    CHECK(cudaEventRecord(fork_event));
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamWaitEvent(streams[i], fork_event));
}

static void measure_events(void)
{
    row("nothing", [] {});
    for (int n : {1, 4, 16}) {
        row("records_timed_" + std::to_string(n), [=] { record_all(timed, n); });
        row("records_untimed_" + std::to_string(n), [=] { record_all(untimed, n); });
    }
    row("waits_on_one_event_1", [] { wait_in_streams(1); });
    row("waits_on_one_event_16", [] { wait_in_streams(16); });
    short_row("stream_sync_idle", [] { CHECK(cudaStreamSynchronize(0)); });
    short_row("device_sync_idle", [] { CHECK(cudaDeviceSynchronize()); });
    short_row("event_query", [] { CHECK(cudaEventQuery(timed[0])); });
    short_row("record_sync", [] {
        CHECK(cudaEventRecord(timed[0]));
        CHECK(cudaEventSynchronize(timed[0]));
    });
}

/* ---- launches, one by one and as a graph ---- */

static cudaGraphExec_t make_graph(int count, const std::function<void(cudaStream_t)> &launch)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < count; i++)
        launch(streams[0]);
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void measure_launches(void)
{
    const auto launch_empty = [](cudaStream_t stream) { empty<<<1, 32, 0, stream>>>(); };
    const auto launch_turn = [](cudaStream_t stream) { turn<<<SMALL_BLOCKS, BLOCK, 0, stream>>>(out, in, SMALL_N); };
    for (int n : {1, 2, 4, 8, 16, 32, 64}) {
        repeat("empty", n, [=] { launch_empty(0); }, 600);
        repeat("turn", n, [=] { launch_turn(0); }, 600);
    }
    for (int n : {1, 2, 5, 10, 20, 50, 100}) {
        cudaGraphExec_t empties = make_graph(n, launch_empty), turns = make_graph(n, launch_turn);
        row("graph_empty_" + std::to_string(n), [=] { CHECK(cudaGraphLaunch(empties, 0)); });
        row("graph_turn_" + std::to_string(n), [=] { CHECK(cudaGraphLaunch(turns, 0)); });
        row("graph_made_" + std::to_string(n), [=] {
            cudaGraphExec_t once = make_graph(n, launch_turn);
            CHECK(cudaGraphLaunch(once, 0));
            CHECK(cudaGraphExecDestroy(once));
        });
    }
}

/* ---- kernels over several streams, forked and joined by events ---- */

static void fork_and_join(int kernels, int nstreams, double us)
{
    wait_in_streams(nstreams);
    for (int i = 0; i < kernels; i++)
        if (us > 0)
            spin<<<8, BLOCK, 0, streams[i % nstreams]>>>((long long)(us * clocks_per_us));
        else
            empty<<<1, 32, 0, streams[i % nstreams]>>>();
    for (int i = 0; i < nstreams; i++) {
        CHECK(cudaEventRecord(untimed[i], streams[i]));
        CHECK(cudaStreamWaitEvent(0, untimed[i]));
    }
}

static void measure_streams(void)
{
    for (int n : {1, 2, 4, 8, 16}) {
        const std::string number = std::to_string(n);
        row("fork_join_" + number, [=] { fork_and_join(0, n, 0); });
        row("fork_join_empty_each_" + number, [=] { fork_and_join(n, n, 0); }, 600);
        row("fork_join_16_empty_" + number, [=] { fork_and_join(16, n, 0); }, 600);
        row("fork_join_16_of_40us_" + number, [=] { fork_and_join(16, n, 40); }, 600);
    }
}

/* ---- memsets and copies ---- */

static std::string size_name(size_t bytes)
{
    if (bytes < KB)
        return std::to_string(bytes) + "B";
    return bytes < MB ? std::to_string(bytes / KB) + "K" : std::to_string(bytes / MB) + "M";
}

static void measure_device_memory(void)
{
    for (size_t bytes : {(size_t)4, (size_t)64, (size_t)256, KB, 2 * KB, 4 * KB, 8 * KB, 16 * KB, 64 * KB, MB, 16 * MB, 64 * MB}) {
        const std::string size = size_name(bytes);
        row("memset_sync_" + size, [=] { CHECK(cudaMemset(device, 0, bytes)); });
        row("memset_async_" + size, [=] { CHECK(cudaMemsetAsync(device, 0, bytes)); });
        row("d2d_async_" + size, [=] { CHECK(cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice)); });
    }
}

static void measure_copy(bool is_pinned, bool is_in, size_t bytes)
{
    char *host = is_pinned ? pinned : pageable;
    void *to = is_in ? device : host;
    const void *from = is_in ? host : device;
    const cudaMemcpyKind kind = is_in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const std::string name = std::string(is_in ? "h2d_" : "d2h_") + (is_pinned ? "pinned_" : "pageable_");
    const bool is_queued = is_pinned || (is_in && bytes <= 256 * KB);
    row(name + "sync_" + size_name(bytes), [=] { CHECK(cudaMemcpy(to, from, bytes, kind)); }, 0);
    row(name + "async_" + size_name(bytes), [=] { CHECK(cudaMemcpyAsync(to, from, bytes, kind, 0)); }, is_queued ? 300 : 0);
}

static void measure_copies(void)
{
    for (size_t bytes : {(size_t)4, (size_t)64, (size_t)256, KB, 4 * KB, 8 * KB, 16 * KB, 32 * KB, 48 * KB, 64 * KB, 128 * KB,
                         256 * KB, 512 * KB, MB, 4 * MB})
        for (bool is_pinned : {true, false})
            for (bool is_in : {true, false})
                measure_copy(is_pinned, is_in, bytes);
}

int main(void)
{
    prepare_device();
    prepare_host();
    puts("name,return_idle,done_idle,events_idle,loop,loop_host,held,return_held");
    measure_events();
    measure_launches();
    measure_streams();
    measure_device_memory();
    measure_copies();
    return 0;
}
