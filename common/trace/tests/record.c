/* record.c - runs every entry point of replay.cu under the recorder and leaves the trace in a file: record FILE.
 * A program of its own, so that test_replay has no object of the submission and other addresses than the recording. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay.h"
#include "trace/trace.h"

static const struct {
    const char *name;
    void (*call)(float *out, const float *in);
    bool is_host; /* where its arrays are */
} entries[] = {
#define ENTRY(name, what) {#name, replay_##name, false},
    REPLAY_ENTRIES(ENTRY) REPLAY_UNCARRIED(ENTRY)
#undef ENTRY
#define ENTRY(name, what) {#name, replay_##name, true},
        REPLAY_HOST(ENTRY) REPLAY_HOST_UNCARRIED(ENTRY)
#undef ENTRY
};

void replay_step(float *to, const float *from, int count)
{
    recorder_host(REPLAY_STEP, to, (uint64_t)count * sizeof *to, from, (uint64_t)count * sizeof *from);
}

static bool take(struct trace_given *given)
{
    if (given->is_host)
        given->memory = calloc(1, given->bytes);
    return given->is_host ? given->memory != NULL : cudaMalloc(&given->memory, given->bytes) == cudaSuccess;
}

static bool record(struct trace *trace, const char *name, void (*call)(float *out, const float *in),
                   bool is_host)
{
    const size_t bytes = REPLAY_COUNT * sizeof(float);
    struct trace_given given[2] = {{NULL, bytes, is_host}, {NULL, bytes, is_host}};
    if (!take(&given[0]) || !take(&given[1]))
        return false;
    recorder_begin(trace, name, 0, given, 2, "some/folder/replay.cu");
    call(given[0].memory, given[1].memory);
    cudaGetLastError();
    if (is_host)
        recorder_say(0);
    return recorder_end(); /* the buffers stay: an entry point may have freed one */
}

int main(int argc, char **argv)
{
    char error[256] = "a recording failed";
    struct trace *trace = trace_new();
    bool is_good = trace && argc == 2;
    for (size_t i = 0; is_good && i < sizeof entries / sizeof *entries; i++)
        is_good = record(trace, entries[i].name, entries[i].call, entries[i].is_host);
    is_good = is_good && trace_write(trace, argv[1], error, sizeof error);
    if (!is_good)
        fprintf(stderr, "record: %s\n", error);
    trace_free(trace);
    return is_good ? 0 : 1;
}
