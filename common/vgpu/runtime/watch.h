/* watch.h - what the runtime tells whoever watches it through vgpu.h: watch.c.
 * Nothing here changes what a program computes. */
#ifndef VGPU_WATCH_H
#define VGPU_WATCH_H

#include "core/counters.h"
#include "model/model.h"
#include "runtime/clock.h"
#include "vgpu.h"

/* True if somebody wants operations: only then is it worth describing one. */
bool watch_is_on(void); /* somebody wants to know anything at all */
bool watch_wants_profile(void);
bool watch_wants_operations(void);
void watch_operation(const struct vgpu_operation *operation);
/* A call whose effect no operation describes. */
void watch_other(const char *call);
void watch_event(enum vgpu_operation_kind kind, const char *call, cudaEvent_t event, cudaStream_t stream);
uint64_t watch_stream(cudaStream_t stream); /* its number in operations */
void watch_sync(const char *call, cudaStream_t stream, bool is_device_wide);
void watch_stream_made(cudaStream_t stream);
void watch_pinned(const char *call, const void *pointer, uint64_t bytes);
/* Captures and graphs; stream NULL: none is concerned. Between hold and go on, operations are a graph's: they were told
 * when it was captured. */
void watch_graph(enum vgpu_operation_kind kind, const char *call, cudaStream_t stream, uint32_t graph,
                 uint32_t made);
void watch_hold(void);
void watch_go_on(void);
void watch_alloc(const char *call, const void *pointer, uint64_t bytes, cudaStream_t stream);
void watch_free(const char *call, const void *pointer, cudaStream_t stream);

void watch_launched(const struct launch *launch, const struct counters *counters,
                    const struct occupancy *occupancy, const struct estimate *estimate);
/* False: nobody took it. */
bool watch_printed(const char *text, size_t size);

#endif
