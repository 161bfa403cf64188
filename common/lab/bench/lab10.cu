/* lab10.cu - CUB's scan, histogram and selection of lab 10's arrays. It has no sparse matrices and no softmax: those stages
 * have no library beside them. */
#include <cstring>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "lab/bench/bench.h"

extern "C" const char *const library_name = "CUB";

typedef cudaError_t call_fn(void *memory, size_t *bytes, const struct lab_run *run);

template <class TYPE> static TYPE *array(const struct lab_run *run, int index)
{
    return (TYPE *)run->buffers[index].device;
}

static cudaError_t scan(void *memory, size_t *bytes, const struct lab_run *run)
{
    return cub::DeviceScan::InclusiveSum(memory, *bytes, array<int>(run, 1), array<int>(run, 0), (int)run->buffers[1].count);
}

static cudaError_t histogram(void *memory, size_t *bytes, const struct lab_run *run)
{
    return cub::DeviceHistogram::HistogramEven(memory, *bytes, array<unsigned char>(run, 1), array<unsigned>(run, 0), 257, 0,
                                               256, (int)run->buffers[1].count);
}

/* Half of the elements, as in the timed case. */
struct below_half {
    __host__ __device__ bool operator()(int value) const
    {
        return value < 128;
    }
};

static cudaError_t select(void *memory, size_t *bytes, const struct lab_run *run)
{
    return cub::DeviceSelect::If(memory, *bytes, array<int>(run, 2), array<int>(run, 0), array<int>(run, 1),
                                 (int)run->buffers[2].count, below_half());
}

/* A task is known by the names of its last and its first buffer. */
static const struct {
    const char *first, *last;
    int nbuffers;
    call_fn *call;
} calls[] = {{"out", "scratch", 3, scan}, {"counts", "in", 2, histogram}, {"out", "scratch", 4, select}};

static call_fn *find_call(const struct lab_run *run)
{
    for (const auto &one : calls)
        if (run->nbuffers == one.nbuffers && !strcmp(run->buffers[0].name, one.first) &&
            !strcmp(run->buffers[one.nbuffers - 1].name, one.last))
            return one.call;
    return NULL;
}

/* Memory of its own is allocated once for each call. */
bool library_call(const struct lab_run *run)
{
    static call_fn *prepared;
    static void *memory;
    static size_t bytes;
    call_fn *call = find_call(run);
    if (call && call != prepared) {
        cudaFree(memory);
        memory = NULL;
        prepared = call(NULL, &bytes, run) == cudaSuccess && cudaMalloc(&memory, bytes) == cudaSuccess ? call : NULL;
    }
    return call && call == prepared && call(memory, &bytes, run) == cudaSuccess;
}
