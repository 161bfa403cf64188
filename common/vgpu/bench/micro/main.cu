/* main.cu - micro: small behaviours of a GPU, one line "name value unit" each, measured with events.
 * micro [-r REPETITIONS] [GROUP...] runs all groups or those named; -l lists them. "param" groups are figures for a
 * model of the GPU, the others behaviours that a model must show. Medians; nothing here judges. */
#include "micro.cuh"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

device dev;
static int repetitions = 7;

static const struct {
    const char *name;
    void (*measure)();
} groups[] = {
    {"chains", measure_chains},
    {"threads", measure_threads},
    {"divergence", measure_divergence},
    {"trips", measure_trips},
    {"occupancy", measure_occupancy},
    {"tail", measure_tail},
    {"banks", measure_banks},
    {"constant", measure_constant},
    {"copy", measure_copy},
    {"offset", measure_offset},
    {"stride", measure_stride},
    {"atomics", measure_atomics},
    {"param.launch", measure_launch},
    {"param.latency", measure_latency},
    {"param.operations", measure_operations},
    {"param.barriers", measure_barriers},
    {"param.shared", measure_shared},
    {"param.l1", measure_l1},
    {"param.l2", measure_l2},
    {"param.dram", measure_dram},
    {"param.local", measure_local},
    {"param.texture", measure_texture},
    {"jumps", measure_jumps},
};

void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "micro: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

void report(double value, const char *unit, const char *name, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(text, sizeof text, name, arguments);
    va_end(arguments);
    printf("%s %.5g %s\n", text, value, unit);
    fflush(stdout);
}

double clocks(double us)
{
    return us * dev.mhz;
}

size_t fresh_bytes(size_t bytes)
{
    static size_t next;
    if (next + bytes > ARENA_BYTES)
        next = 0;
    size_t offset = next;
    next += (bytes + 4095) / 4096 * 4096;
    return offset;
}

static __global__ void fma_chain(float *out, float x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    *out = x;
}

void keep_busy(int steps)
{
    fma_chain<<<1, 1>>>((float *)dev.out, 1.0f, steps);
}

/* Behind a busy GPU: else the launch's way to the GPU would be timed too. */
static double time_once(const std::function<void(int)> &launch, int repetition, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0;
    keep_busy(8192);
    cudaEventRecord(begin);
    launch(repetition);
    cudaEventRecord(end);
    check(cudaGetLastError(), "launch");
    check(cudaEventSynchronize(end), "kernel");
    check(cudaEventElapsedTime(&ms, begin, end), "time");
    return 1e3 * ms;
}

double time_us(const std::function<void(int)> &launch)
{
    static cudaEvent_t begin, end;
    if (!begin) {
        check(cudaEventCreate(&begin), "event");
        check(cudaEventCreate(&end), "event");
    }
    time_once(launch, 0, begin, end);
    std::vector<double> times;
    for (int i = 0; i < repetitions; i++)
        times.push_back(time_once(launch, i + 1, begin, end));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static char *arena()
{
    char *bytes;
    check(cudaMalloc((void **)&bytes, ARENA_BYTES), "memory");
    check(cudaMemset(bytes, 0, ARENA_BYTES), "memory");
    return bytes;
}

static void open_device()
{
    int khz = 0;
    check(cudaDeviceGetAttribute(&dev.sms, cudaDevAttrMultiProcessorCount, 0), "device");
    check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "device");
    dev.mhz = khz * 1e-3;
    check(cudaDeviceGetAttribute(&dev.shared_per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0), "device");
    check(cudaDeviceGetAttribute(&dev.shared_per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "device");
    dev.in = arena();
    dev.out = arena();
}

static bool is_wanted(const char *name, int count, char **wanted)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, wanted[i]) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "-l") == 0) {
        for (auto &group : groups)
            puts(group.name);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "-r") == 0) {
        repetitions = std::max(1, atoi(argv[2]));
        first = 3;
    }
    open_device();
    for (auto &group : groups)
        if (is_wanted(group.name, argc - first, argv + first))
            group.measure();
    return 0;
}
