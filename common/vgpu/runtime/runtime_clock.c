/* runtime_clock.c - the virtual clock: when operations begin and end on streams and engines.
 * An operation begins when its stream is ready, its engine is free and the host has asked for it; nothing else counts,
 * so the same program gives the same times on every machine.
 * It executes nothing: kernels and copies have already happened when their time is booked. */
#include <math.h>
#include <string.h>

#include "runtime/clock.h"

static picoseconds host_time;
static picoseconds engines[ENGINES];
static struct CUstream_st legacy = {.is_legacy = true, .id = 1}, per_thread = {.id = 2};
static struct CUstream_st *streams;

/* ------------------------------------------------------------------------------------------- streams */

struct CUstream_st *stream_first(void)
{
    return streams;
}

void stream_add(struct CUstream_st *stream)
{
    stream->next = streams;
    streams = stream;
}

bool stream_remove(struct CUstream_st *stream)
{
    for (struct CUstream_st **link = &streams; *link; link = &(*link)->next)
        if (*link == stream) {
            *link = stream->next;
            return true;
        }
    return false;
}

struct CUstream_st *stream_of(cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return &per_thread;
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        if (stream == handle)
            return stream;
    return NULL;
}

bool runtime_is_stream(cudaStream_t stream)
{
    runtime_lock();
    bool is_known = stream_of(stream) != NULL;
    runtime_unlock();
    return is_known;
}

/* ------------------------------------------------------------------------------------------- time */

static picoseconds latest(picoseconds a, picoseconds b)
{
    return a > b ? a : b;
}

picoseconds clock_host(void)
{
    return host_time;
}

void clock_host_spend(picoseconds duration)
{
    host_time += duration;
}

void clock_host_until(picoseconds time)
{
    host_time = latest(host_time, time);
}

static bool is_blocking(const struct CUstream_st *stream)
{
    return !(stream->flags & cudaStreamNonBlocking);
}

picoseconds clock_ready(const struct CUstream_st *stream)
{
    picoseconds time = latest(host_time, stream->time);
    if (!stream->is_legacy)
        return is_blocking(stream) ? latest(time, legacy.time) : time;
    time = latest(time, per_thread.time);
    for (const struct CUstream_st *other = streams; other; other = other->next)
        if (is_blocking(other))
            time = latest(time, other->time);
    return time;
}

picoseconds clock_run(struct CUstream_st *stream, enum engine engine, picoseconds duration)
{
    picoseconds start = latest(clock_ready(stream), engines[engine]);
    stream->time = engines[engine] = start + duration;
    return start;
}

picoseconds clock_idle(void)
{
    picoseconds time = latest(latest(host_time, legacy.time), per_thread.time);
    for (const struct CUstream_st *stream = streams; stream; stream = stream->next)
        time = latest(time, stream->time);
    return time;
}

static picoseconds from_us(double us)
{
    return us > 0 ? (picoseconds)llround(us * PS_PER_US) : 0;
}

/* ------------------------------------------------------------------------------------------- operations */

static double copy_rate_gbs(const struct gpu *gpu, enum cudaMemcpyKind kind, bool is_pinned)
{
    /* Both halves of a copy within the device use its memory; a host-to-host copy runs at a core's pace. */
    if (kind == cudaMemcpyDeviceToDevice)
        return gpu->dram_gbs / 2;
    return is_pinned ? gpu->pinned_gbs : gpu->pageable_gbs;
}

static enum engine copy_engine(enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyHostToDevice)
        return ENGINE_TO_DEVICE;
    return kind == cudaMemcpyDeviceToHost ? ENGINE_TO_HOST : ENGINE_COMPUTE;
}

static void book(cudaStream_t handle, enum engine engine, double us, bool is_async)
{
    struct CUstream_st *stream = stream_of(handle);
    if (!stream)
        return;
    clock_host_spend(HOST_COPY);
    clock_run(stream, engine, from_us(us));
    if (!is_async)
        clock_host_until(stream->time);
}

void runtime_copy_time(cudaStream_t stream, enum cudaMemcpyKind kind, uint64_t bytes, bool is_pinned,
                       bool is_async)
{
    const struct gpu *gpu = runtime_config()->gpu;
    double us = gpu->copy_overhead_us + (double)bytes / (copy_rate_gbs(gpu, kind, is_pinned) * 1e3);
    /* Pageable memory is staged by the host, which therefore waits. */
    bool is_waiting = !is_async || (kind != cudaMemcpyDeviceToDevice && !is_pinned);
    runtime_lock();
    book(stream, copy_engine(kind), us, !is_waiting);
    runtime_unlock();
}

void runtime_memset_time(cudaStream_t stream, uint64_t bytes, bool is_async)
{
    const struct gpu *gpu = runtime_config()->gpu;
    runtime_lock();
    book(stream, ENGINE_COMPUTE, gpu->launch_overhead_us + (double)bytes / (gpu->dram_gbs * 1e3), is_async);
    runtime_unlock();
}

uint64_t runtime_kernel_start(cudaStream_t handle)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    clock_host_spend(HOST_LAUNCH);
    picoseconds start = stream ? latest(clock_ready(stream), engines[ENGINE_COMPUTE]) : host_time;
    runtime_unlock();
    return start / 1000;
}

void runtime_kernel_end(cudaStream_t handle, double time_us)
{
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    if (stream)
        clock_run(stream, ENGINE_COMPUTE, from_us(time_us));
    runtime_unlock();
}

void runtime_clock_reset(void)
{
    runtime_lock();
    clock_host_until(clock_idle());
    runtime_unlock();
}
