/* stream.c - streams: life, order, waiting, host functions.
 * A stream has no queue: its operations have been executed when they are given; it only carries a time.
 * Stream capture is in capture.c. */
#include <stdlib.h>
#include <string.h>

#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/handles.h"
#include "runtime/host_calls.h"
#include "runtime/watch.h"

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

static int clamp_priority(int priority)
{
    if (priority > LEAST_PRIORITY)
        return LEAST_PRIORITY;
    return priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    static unsigned long long last_id = 2;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || (flags & ~cudaStreamNonBlocking))
        return runtime_error(cudaErrorInvalidValue);
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream)
        return runtime_error(cudaErrorMemoryAllocation);
    stream->flags = flags;
    stream->priority = clamp_priority(priority);
    runtime_lock();
    stream->id = ++last_id;
    stream_add(stream);
    runtime_unlock();
    order_may_overlap();
    *out = stream;
    handle_made(HANDLE_STREAM, address_of(stream));
    watch_stream_made(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithPriority(out, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    runtime_lock();
    bool is_known = handle && stream_remove(handle);
    runtime_unlock();
    if (!is_known)
        return runtime_error(cudaErrorInvalidResourceHandle);
    order_drop(handle);
    handle_gone(HANDLE_STREAM, address_of(handle));
    free(handle);
    return cudaSuccess;
}

/* The stream, or NULL with *error set: for calls that only ask. */
static struct CUstream_st *begin(cudaStream_t handle, cudaError_t *error)
{
    *error = runtime_begin();
    if (*error)
        return NULL;
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    runtime_unlock();
    if (!stream)
        *error = runtime_error(cudaErrorInvalidResourceHandle);
    return stream;
}

/* The same for calls that use it. */
static struct CUstream_st *begin_use(cudaStream_t handle, const char *call, cudaError_t *error)
{
    struct CUstream_st *stream = begin(handle, error);
    if (stream)
        *error = captures_use(handle, call);
    return *error ? NULL : stream;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    cudaError_t error;
    struct CUstream_st *stream = begin_use(handle, "cudaStreamSynchronize", &error);
    if (!stream)
        return error;
    if (capture_is_active(handle))
        return capture_refuse(handle, "cudaStreamSynchronize");
    error = captures_unsafe("cudaStreamSynchronize");
    if (error)
        return error;
    host_calls_wait(handle);
    watch_sync("cudaStreamSynchronize", handle, false);
    runtime_lock();
    clock_host_wait(stream);
    order_host_waits_for_stream(stream);
    runtime_unlock();
    return runtime_begin_sync();
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    cudaError_t error;
    struct CUstream_st *stream = begin_use(handle, "cudaStreamQuery", &error);
    if (stream)
        error = captures_unsafe("cudaStreamQuery");
    if (error)
        return error;
    if (runtime_has_fault())
        return runtime_begin_sync();
    runtime_lock();
    clock_host_spend(HOST_QUERY);
    bool is_done = clock_done(stream) <= clock_host();
    runtime_unlock();
    if (!is_done || host_calls_pending(handle))
        return runtime_error(cudaErrorNotReady);
    order_host_waits_for_stream(stream);
    return cudaSuccess;
}

/* The stream goes on when the event has come, as if the operation before the event had been its own. */
static void follow(struct CUstream_st *stream, const struct CUevent_st *event)
{
    if (stream->time < event->done)
        stream->time = event->done;
    if (stream->last.time < event->last.time)
        stream->last = event->last;
    order_join(&stream->order, &event->order);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    cudaError_t error;
    struct CUstream_st *stream = begin_use(handle, "cudaStreamWaitEvent", &error);
    if (!stream)
        return error;
    if (flags & ~cudaEventWaitExternal)
        return runtime_error(cudaErrorInvalidValue);
    if (!event)
        return runtime_error(cudaErrorInvalidResourceHandle);
    watch_event(VGPU_STREAM_WAIT, "cudaStreamWaitEvent", event, handle);
    runtime_lock();
    clock_host_spend(HOST_WAIT);
    if (event->capture)
        capture_join(stream, event);
    else if (event->is_recorded)
        follow(stream, event);
    runtime_unlock();
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- host functions */

enum { HOST_FUNCTION_PS = 5000000 };

static cudaError_t enqueue(cudaStream_t handle, void (*function)(void *), void *context)
{
    watch_other("a host function in a stream");
    runtime_lock();
    struct CUstream_st *stream = stream_of(handle);
    clock_host_spend(HOST_LAUNCH);
    stream->time = clock_ready(stream) + HOST_FUNCTION_PS;
    order_host_waits_for_stream(stream); /* the function may tell the host what is over: nobody sees that */
    runtime_unlock();
    return runtime_error(host_call(function, context));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data)
{
    cudaError_t error;
    if (!begin_use(handle, "cudaLaunchHostFunc", &error))
        return error;
    if (!function)
        return runtime_error(cudaErrorInvalidValue);
    if (capture_is_active(handle)) {
        watch_other("a host function in a graph");
        return capture_host(handle, function, data);
    }
    return runtime_has_fault() ? cudaSuccess : enqueue(handle, function, data);
}

struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *data;
    cudaError_t status;
};

static void call_back(void *context)
{
    struct callback callback = *(struct callback *)context;
    free(context);
    callback.function(callback.stream, callback.status, callback.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void *data,
                                  unsigned flags)
{
    cudaError_t error;
    if (!begin_use(handle, "cudaStreamAddCallback", &error))
        return error;
    if (!function || flags)
        return runtime_error(cudaErrorInvalidValue);
    if (capture_is_active(handle))
        return capture_refuse(handle, "cudaStreamAddCallback");
    struct callback *callback = malloc(sizeof *callback);
    if (!callback)
        return runtime_error(cudaErrorMemoryAllocation);
    *callback = (struct callback){function, handle, data, cudaSuccess};
    return enqueue(handle, call_back, callback);
}

/* ------------------------------------------------------------------------------------------- questions */

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream || !priority)
        return stream ? runtime_error(cudaErrorInvalidValue) : error;
    *priority = stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream || !flags)
        return stream ? runtime_error(cudaErrorInvalidValue) : error;
    *flags = stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream || !id)
        return stream ? runtime_error(cudaErrorInvalidValue) : error;
    *id = stream->id;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream || !device)
        return stream ? runtime_error(cudaErrorInvalidValue) : error;
    *device = 0;
    return cudaSuccess;
}

/* Attributes are kept and given back; none of them changes what the virtual GPU does. */
static union cudaLaunchAttributeValue *attribute_of(struct CUstream_st *stream, cudaLaunchAttributeID id)
{
    if (id == cudaLaunchAttributeAccessPolicyWindow)
        return &stream->access_window;
    return id == cudaLaunchAttributeSynchronizationPolicy ? &stream->sync_policy : NULL;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   union cudaLaunchAttributeValue *value)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream)
        return error;
    union cudaLaunchAttributeValue *kept = attribute_of(stream, id);
    if (!value || (!kept && id != cudaLaunchAttributePriority))
        return runtime_error(cudaErrorInvalidValue);
    if (kept)
        *value = *kept;
    else
        value->priority = stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   const union cudaLaunchAttributeValue *value)
{
    cudaError_t error;
    struct CUstream_st *stream = begin(handle, &error);
    if (!stream)
        return error;
    union cudaLaunchAttributeValue *kept = attribute_of(stream, id);
    if (!value || (!kept && id != cudaLaunchAttributePriority))
        return runtime_error(cudaErrorInvalidValue);
    if (kept)
        *kept = *value;
    else
        stream->priority = clamp_priority(value->priority);
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    cudaError_t error;
    struct CUstream_st *source = begin(from, &error), *destination = source ? begin(to, &error) : NULL;
    if (!destination)
        return error;
    destination->access_window = source->access_window;
    destination->sync_policy = source->sync_policy;
    destination->priority = source->priority;
    return cudaSuccess;
}

/* Managed memory has one copy that both sides see at all times, so there is nothing to attach. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *pointer, size_t length, unsigned flags)
{
    cudaError_t error;
    if (!begin(handle, &error))
        return error;
    (void)length;
    if (!pointer ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
        return runtime_error(cudaErrorInvalidValue);
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return allocation && allocation->kind == ALLOC_MANAGED ? cudaSuccess
                                                           : runtime_error(cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return runtime_begin();
}
