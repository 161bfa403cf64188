/* event.c - events: a point on a stream's virtual time.
 * Elapsed times obey CUDA's rules: both events recorded, both with timing, both done.
 * An event recorded under stream capture is a dependency and has no time. */
#include <stdlib.h>

#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/handles.h"
#include "runtime/host_calls.h"
#include "runtime/watch.h"

/* What it takes the device to stamp an event: records_timed_*, held, in bench/h200/calls.csv. */
enum { EVENT_PS = 1280000 };

static struct CUevent_st *events;
static uint64_t last_number;

static bool is_event(const struct CUevent_st *event)
{
    bool is_known = false;
    runtime_lock();
    for (const struct CUevent_st *other = events; other && !is_known; other = other->next)
        is_known = other == event;
    runtime_unlock();
    return is_known;
}

/* Every call that names an event. */
static cudaError_t begin(const struct CUevent_st *event)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    return event && is_event(event) ? cudaSuccess : runtime_error(cudaErrorInvalidResourceHandle);
}

/* Those that ask when it comes: under capture it has no time. */
static cudaError_t begin_timed(const struct CUevent_st *event)
{
    cudaError_t error = begin(event);
    return !error && event->capture ? runtime_error(cudaErrorCapturedEvent) : error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    unsigned all = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    bool is_bad_ipc = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!out || (flags & ~all) || is_bad_ipc)
        return runtime_error(cudaErrorInvalidValue);
    struct CUevent_st *event = calloc(1, sizeof *event);
    if (!event)
        return runtime_error(cudaErrorMemoryAllocation);
    event->flags = flags;
    runtime_lock();
    event->number = ++last_number;
    event->next = events;
    events = event;
    runtime_unlock();
    *out = event;
    handle_made(HANDLE_EVENT, address_of(event));
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = begin(event);
    if (error)
        return error;
    runtime_lock();
    struct CUevent_st **link = &events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    runtime_unlock();
    handle_gone(HANDLE_EVENT, address_of(event));
    free(event);
    return cudaSuccess;
}

static void stamp(struct CUevent_st *event, struct CUstream_st *stream)
{
    event->time = clock_ready(stream);
    event->done = stream->time = event->time + EVENT_PS;
}

/* Without a time, an event is nothing but the end of what its stream has been given: records_untimed_*, held. */
static void record(struct CUevent_st *event, struct CUstream_st *stream)
{
    const bool is_timed = !(event->flags & cudaEventDisableTiming);
    clock_host_spend(is_timed ? HOST_EVENT : HOST_PLAIN_EVENT);
    event->capture = stream->capture;
    event->tails = stream->tails;
    event->is_recorded = true;
    event->last = stream->last;
    event->done = clock_done(stream);
    if (is_timed && !stream->capture)
        stamp(event, stream);
    if (!stream->capture)
        event->order = order_mark(stream);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (flags & ~cudaEventRecordExternal)
        return runtime_error(cudaErrorInvalidValue);
    if (!event || !is_event(event) || !stream_is_known(handle))
        return runtime_error(cudaErrorInvalidResourceHandle);
    error = captures_use(handle, "cudaEventRecord");
    if (error)
        return error;
    watch_event(VGPU_EVENT_RECORD, "cudaEventRecord", event, handle);
    runtime_lock();
    record(event, stream_of(handle));
    runtime_unlock();
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static void host_has_seen(const struct CUevent_st *event)
{
    if (event->is_recorded)
        order_host_waits(&event->order);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = begin_timed(event);
    if (!error)
        error = captures_unsafe("cudaEventQuery");
    if (error)
        return error;
    if (runtime_has_fault())
        return runtime_begin_sync();
    runtime_lock();
    clock_host_spend(HOST_QUERY);
    bool is_done = !event->is_recorded || event->done <= clock_host();
    runtime_unlock();
    if (!is_done || host_calls_pending(NULL))
        return runtime_error(cudaErrorNotReady);
    host_has_seen(event);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = begin_timed(event);
    if (!error)
        error = captures_unsafe("cudaEventSynchronize");
    if (error)
        return error;
    host_calls_wait(NULL);
    watch_event(VGPU_EVENT_SYNC, "cudaEventSynchronize", event, NULL);
    runtime_lock();
    clock_host_spend(HOST_SYNC);
    if (event->is_recorded)
        clock_host_until(event->done);
    host_has_seen(event);
    runtime_unlock();
    return runtime_begin_sync();
}

/* The GPU's timer, which stamps events, counts in steps of 32 ns: all differences seen on an H200 are multiples. */
enum { EVENT_TICK_PS = 32000 };

static int64_t ticks_of(const struct CUevent_st *event)
{
    return (int64_t)(event->time / EVENT_TICK_PS);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!ms)
        return runtime_error(cudaErrorInvalidValue);
    if (!start || !end || !is_event(start) || !is_event(end))
        return runtime_error(cudaErrorInvalidResourceHandle);
    bool has_times =
        start->is_recorded && end->is_recorded && !((start->flags | end->flags) & cudaEventDisableTiming);
    if (!has_times || start->capture || end->capture)
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (runtime_has_fault())
        return runtime_begin_sync();
    if (start->done > clock_host() || end->done > clock_host())
        return runtime_error(cudaErrorNotReady);
    host_has_seen(start);
    host_has_seen(end);
    *ms = (float)((double)(ticks_of(end) - ticks_of(start)) * (EVENT_TICK_PS / 1e9));
    return cudaSuccess;
}

void events_leave(const struct capture *capture)
{
    for (struct CUevent_st *event = events; event; event = event->next)
        if (event->capture == capture) {
            event->capture = NULL;
            event->is_recorded = false;
        }
}
