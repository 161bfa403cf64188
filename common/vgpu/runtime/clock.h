/* clock.h - streams, events and engines on the virtual clock, shared by runtime_clock.c, _stream.c, _event.c, _graph.c.
 * Times are picoseconds since the start, as integers, so that sums do not depend on their order.
 * All fields are guarded by runtime_lock(). */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include "runtime/runtime.h"

typedef uint64_t picoseconds;
#define PS_PER_US 1000000.0

/* What the host pays for a call, in ps: figures of the size that real launches and event calls have. */
enum {
    HOST_LAUNCH = 1500000,
    HOST_COPY = 1000000,
    HOST_EVENT = 300000,
    HOST_QUERY = 500000,
    HOST_SYNC = 1000000
};

struct capture; /* runtime_capture.c: what is being recorded on this stream */

/* Nodes of a graph that come last on a stream. More than these never join in practice; the rest is chained. */
enum { MAX_TAILS = 32 };
struct node_set {
    struct CUgraphNode_st *nodes[MAX_TAILS];
    size_t count;
};

struct CUstream_st {
    picoseconds time; /* when its last operation ends */
    unsigned flags;
    int priority;
    unsigned long long id;
    bool is_legacy;          /* the NULL stream: waits for blocking streams, and they wait for it */
    struct capture *capture; /* NULL: not capturing */
    struct node_set tails;   /* under capture: what its next operation depends on */
    union cudaLaunchAttributeValue access_window, sync_policy; /* stored for cudaStreamGetAttribute */
    struct CUstream_st *next;
};

struct CUevent_st {
    uint64_t number; /* events are numbered from 1 as they are made */
    picoseconds time;
    unsigned flags;
    bool is_recorded;
    struct capture *capture; /* recorded in a stream under capture: a dependency, not a time */
    struct node_set tails;
    struct CUevent_st *next;
};

enum engine { ENGINE_COMPUTE, ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINES };

/* The stream behind a handle (NULL, cudaStreamLegacy, cudaStreamPerThread, or one that was created). NULL: none. */
struct CUstream_st *stream_of(cudaStream_t handle);
/* Visits the created streams. */
struct CUstream_st *stream_first(void);
void stream_add(struct CUstream_st *stream);
bool stream_remove(struct CUstream_st *stream);

picoseconds clock_host(void);
void clock_host_spend(picoseconds duration);
void clock_host_until(picoseconds time);
/* When the next operation of a stream can begin, by its own order and the legacy stream's rules. */
picoseconds clock_ready(const struct CUstream_st *stream);
/* An operation of some length on an engine; gives its start. */
picoseconds clock_run(struct CUstream_st *stream, enum engine engine, picoseconds duration);
/* When all work that has been given to the device is done. */
picoseconds clock_idle(void);

/* A capture has ended: its events are no longer part of it. */
void events_leave(const struct capture *capture);

/* Host functions run on a thread of their own, in order; whatever follows on the device waits for them. */
cudaError_t host_call(void (*function)(void *), void *context);
void host_calls_wait(void);
bool host_calls_pending(void);

#endif
