/* captures.c - the captures that are under way, and what is forbidden because of them.
 * A forbidden call does nothing but make the captures that it conflicts with invalid, as in CUDA. */
#include "runtime/captures.h"

static struct capturing *captures;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

void captures_add(struct capturing *capture)
{
    capture->thread = pthread_self();
    capture->next = captures;
    captures = capture;
}

void captures_remove(const struct capturing *capture)
{
    struct capturing **link = &captures;
    while (*link && *link != capture)
        link = &(*link)->next;
    if (*link)
        *link = capture->next;
}

void captures_join(struct capturing *capture, const struct CUstream_st *stream)
{
    capture->is_blocking |= !stream->is_legacy && !(stream->flags & cudaStreamNonBlocking);
}

enum cudaStreamCaptureMode captures_exchange_mode(enum cudaStreamCaptureMode mode)
{
    const enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = mode;
    return old;
}

/* ------------------------------------------------------------------------------------------- conflicts */

typedef bool is_hit_fn(const struct capturing *capture);

static bool is_blocking(const struct capturing *capture)
{
    return capture->is_blocking;
}

static bool is_any(const struct capturing *capture)
{
    return capture != NULL;
}

/* The rules of cudaThreadExchangeStreamCaptureMode. */
static bool forbids_unsafe(const struct capturing *capture)
{
    if (thread_mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (pthread_equal(capture->thread, pthread_self()))
        return capture->mode != cudaStreamCaptureModeRelaxed;
    return thread_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
}

/* Makes those that are hit invalid; false: none is. */
static bool invalidate(is_hit_fn *is_hit)
{
    bool is_found = false;
    runtime_lock();
    for (struct capturing *capture = captures; capture; capture = capture->next)
        if (is_hit(capture))
            is_found = capture->is_invalid = true;
    runtime_unlock();
    return is_found;
}

bool captures_block(cudaStream_t handle)
{
    bool is_found = false;
    runtime_lock();
    const struct CUstream_st *stream = stream_of(handle);
    for (const struct capturing *capture = captures; capture && stream && stream->is_legacy;
         capture = capture->next)
        is_found |= is_blocking(capture);
    runtime_unlock();
    return is_found;
}

cudaError_t captures_use(cudaStream_t stream, const char *call)
{
    if (!captures_block(stream))
        return cudaSuccess;
    invalidate(is_blocking);
    return runtime_complain(cudaErrorStreamCaptureImplicit, VGPU_CAPTURE_DEFAULT_STREAM,
                            "%s uses the default stream, which waits for the stream that is being captured; "
                            "the capture is now invalid",
                            call);
}

static cudaError_t forbid(is_hit_fn *is_hit, const char *call, const char *why)
{
    if (!invalidate(is_hit))
        return cudaSuccess;
    return runtime_complain(cudaErrorStreamCaptureUnsupported, VGPU_CAPTURE_FORBIDS,
                            "%s %s; the capture is now invalid", call, why);
}

cudaError_t captures_unsafe(const char *call)
{
    return forbid(forbids_unsafe, call,
                  "was called while a stream is being captured, which would not see it");
}

cudaError_t captures_wait(const char *call)
{
    return forbid(is_any, call, "waits for all streams while one of them is being captured");
}
