/* clock.h - streams, events and engines on the virtual clock, shared by clock.c, stream.c, event.c and the graphs.
 * Times are picoseconds since the start, as integers, so that sums do not depend on their order.
 * All fields are guarded by runtime_lock(). */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include "model/model.h"
#include "runtime/calendar.h"
#include "runtime/order.h"
#include "runtime/runtime.h"

#define PS_PER_US 1000000.0

/* What the host pays, in ps, the mean of two hosts with an H200 (bench/h200/calls.csv): calls of a program that is not waiting,
 * and what it loses beyond the device's time when it waits until something is done. Only the latter was alike on both; the
 * slower one took 1.3 times as long as the faster for a launch, and 1.6 times for an event. */
enum {
    HOST_LAUNCH =
        4200000, /* empty_64, turn_64, loop, each; 3.4 to 5.6 us by host; also of memsets and copies in the device */
    HOST_GRAPH = 1900000, /* graph_*, return_idle: a whole graph */
    /* A graph on its way: each call that is captured, instantiating it, and what its first launch takes beyond others
     * (bench/calls.cu, graph_made_*, of one host). */
    HOST_CAPTURE = 450000,
    HOST_MAKE = 8000000,
    HOST_MAKE_NODE = 1000000,
    HOST_FIRST = 2000000,
    HOST_FIRST_NODE = 1400000,
    HOST_COPY = 2100000,   /* h2d_pinned_async_64K, d2h_pinned_async_64K, return_idle */
    HOST_INLINE = 1250000, /* memset_async_4B to 4K, return_idle: what fits into the commands themselves */
    HOST_STAGE = 1100000,  /* d2h_pageable_sync_1K less d2h_pinned_sync_1K, return_idle */
    HOST_EVENT = 1300000,  /* records_timed_16, return_idle, each */
    HOST_PLAIN_EVENT = 520000, /* records_untimed_16, return_idle, each */
    HOST_QUERY = 360000,       /* event_query */
    HOST_WAIT = 230000,        /* waits_on_one_event_16 less the record, return_idle, each */
    HOST_SYNC = 550000,        /* stream_sync_idle */
    HOST_WAKE = 3700000        /* d2h_pinned_sync_64K less call and copy; the same for kernels */
};

struct capture; /* capture.c: what is being recorded on a stream; nobody else looks into it */

/* Nodes of a graph that come last on a stream. Of more than these, only times would be wrong: nodes are executed in the
 * order in which they were made. */
enum { MAX_TAILS = 32 };
struct node_set {
    struct CUgraphNode_st *nodes[MAX_TAILS];
    size_t count;
};

enum engine { ENGINE_COMPUTE, ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINES };

/* The end of an operation, and where it ran: what follows it elsewhere begins later. */
struct finish {
    picoseconds time;
    enum engine engine;
};

struct CUstream_st {
    picoseconds time; /* when its next operation may begin, by its own order */
    struct finish last;
    unsigned flags;
    int priority;
    unsigned long long id;
    bool is_legacy;          /* the NULL stream: waits for blocking streams, and they wait for it */
    struct capture *capture; /* NULL: not capturing */
    struct node_set tails;   /* under capture: what its next operation depends on */
    struct order order;      /* what its next operation comes after */
    union cudaLaunchAttributeValue access_window, sync_policy; /* stored for cudaStreamGetAttribute */
    struct CUstream_st *next;
};

struct CUevent_st {
    uint64_t number;    /* events are numbered from 1 as they are made */
    picoseconds time;   /* its stamp */
    picoseconds done;   /* when others see that it has come */
    struct finish last; /* of its stream, when it was recorded */
    unsigned flags;
    bool is_recorded;
    struct capture *capture; /* recorded in a stream under capture: a dependency, not a time */
    struct node_set tails;
    struct order order; /* what it comes after */
    struct CUevent_st *next;
};

/* The stream behind a handle (NULL, cudaStreamLegacy, cudaStreamPerThread, or one that was created). NULL: none. */
struct CUstream_st *stream_of(cudaStream_t handle);
/* Visits the created streams. */
struct CUstream_st *stream_first(void);
void stream_add(struct CUstream_st *stream);
bool stream_remove(struct CUstream_st *stream);
/* False: no stream of the program's; the caller returns cudaErrorInvalidResourceHandle. */
bool stream_is_known(cudaStream_t stream);

picoseconds clock_host(void); /* also without the lock */
void clock_host_spend(picoseconds duration);
/* The host waits for what the device has done at a time; it sees it HOST_WAKE later. */
void clock_host_until(picoseconds time);
/* The host waits for all work of a stream. */
void clock_host_wait(const struct CUstream_st *stream);
/* When the work of a stream is done, with all that it waits for by the legacy stream's rules. */
picoseconds clock_done(const struct CUstream_st *stream);
/* When its next operation can begin: then, or when the host asks for it. */
picoseconds clock_ready(const struct CUstream_st *stream);
/* When all work that has been given to the device is done. */
picoseconds clock_idle(void);
picoseconds clock_work(void); /* what all copies and kernels took so far, each for itself */

/* Copies and memsets take their stream's time; is_async: the call lets the host go on, as far as the kind of copy allows
 * it. kind: by where the bytes really lie. */
double clock_copy_within_us(uint64_t bytes); /* of one, on the device */
/* rows: 1 for cudaMemcpy(), which knows none; pageable: the host's end, NULL if it is pinned */
void clock_copy(cudaStream_t stream, enum cudaMemcpyKind kind, uint64_t bytes, uint64_t rows,
                const void *pageable, bool is_async);
void clock_memset(cudaStream_t stream, uint64_t bytes);
/* A kernel: its start in ns (for %globaltimer) and then its end; fill: its blocks over those that are resident at a time. */
uint64_t clock_kernel_start(cudaStream_t stream);
void clock_kernel_end(cudaStream_t stream, const struct estimate *estimate, double fill, const char *name);
void clock_reset(void);
/* The number of a stream as others see it: 0 is the default stream, those that are made have numbers from 1. */
uint64_t clock_number(const struct CUstream_st *stream);
/* Called with what is given to an engine, and when that has it; name: of a kernel, mangled. NULL: nobody wants to know. */
extern void (*clock_told)(struct vgpu_span span);

/* Between these two, operations are a graph's: the host has paid for them as a whole. */
void clock_graph_begin(void);
void clock_graph_end(void);

/* event.c: a capture has ended, its events are no longer part of it. */
void events_leave(const struct capture *capture);

#endif
