/* captures.h - which captures are under way, and which calls they forbid meanwhile: captures.c.
 * How calls become nodes is capture.c's business. */
#ifndef VGPU_CAPTURES_H
#define VGPU_CAPTURES_H

#include <pthread.h>

#include "runtime/clock.h"

/* What others need to know of a capture; guarded by runtime_lock(). */
struct capturing {
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    bool is_blocking; /* one of its streams waits for the default stream */
    bool is_invalid;
    struct capturing *next;
};
void captures_add(struct capturing *capture); /* begun by this thread */
void captures_remove(const struct capturing *capture);
/* A stream that is being captured, or joins a capture. */
void captures_join(struct capturing *capture, const struct CUstream_st *stream);

/* The default stream waits for blocking streams, also for those that are being captured: cudaErrorStreamCaptureImplicit, and
 * those captures are invalid. */
cudaError_t captures_use(cudaStream_t stream, const char *call);
/* True if the default stream cannot be used now. */
bool captures_block(cudaStream_t stream);
/* A call that no capture sees: cudaErrorStreamCaptureUnsupported by the rules of cudaThreadExchangeStreamCaptureMode. */
cudaError_t captures_unsafe(const char *call);
/* A call that waits for all streams: an error in every mode. */
cudaError_t captures_wait(const char *call);

/* The calling thread's mode becomes this; gives the one before. */
enum cudaStreamCaptureMode captures_exchange_mode(enum cudaStreamCaptureMode mode);

#endif
