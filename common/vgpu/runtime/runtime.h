/* runtime.h - the CUDA runtime from the ground up, and the floor that all of it stands on: state.c.
 *
 *   print.c          what kernels printed, until the host waits
 *   signals.c        host code that follows a device pointer: explained
 *   calendar.c       what an engine has promised to whom
 *   host_calls.c     host functions of streams, on a thread of their own
 *   state.c          the start, settings, the lock, CUDA's rules of errors           error_text.c   errors in words
 *   clock.c          when operations begin and end on streams and engines
 *   watch.c          what tools are told (vgpu.h)      counters_file.c   a line of JSON for each launch
 *   allocation.c     device memory with the host lines that made it
 *   image.c          what nvcc's start-up code registers: fatbins, kernels, variables; loaded when first used
 *   library.c        the same for code that is loaded at run time
 *   function.c       questions about kernels: attributes, occupancy
 *   pool.c  graph_memory.c     who counts which allocation
 *   memory.c         cudaMalloc, cudaFree, pinned and managed memory           leaks.c   what was never freed
 *   array.c  texture.c         images that kernels sample
 *   event.c          points of a stream's time
 *   graph_node.c     graphs as data
 *   capture.c        what is given to a stream becomes a graph instead
 *   pointer.c        where a copy's pointers lie, and whether they have room
 *   copy.c  copy3d.c  memset.c  memory_async.c  stream.c  launch.c     the calls that a capture records
 *   graph_run.c      graphs are executed by these calls
 *   graph.c  graph_exec.c      the API of graphs; of graphs that are ready to run
 *   device.c         properties, limits, reset and the whole device's waiting
 *   perthread.c  unsupported.c  public.c     other spellings; what is missing; the rest of vgpu.h
 *
 * A file calls those above it in this list only. Every public call begins with runtime_begin() (or runtime_begin_sync() if
 * it waits for the device) and leaves through runtime_error(), so that CUDA's rules of last, pending and sticky errors
 * live in one place. Kernels execute at launch; the virtual clock alone decides when they are said to have run. */
#ifndef VGPU_RUNTIME_H
#define VGPU_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gpu.h"
#include "core/machine.h"
#include "memory/memory.h"
#include "vgpu.h"

struct config {
    const struct gpu *gpu;
    enum check_level check;
    enum vgpu_execution execution;
    bool is_timed;             /* false: the timing model is left out, launches take their overhead only */
    unsigned threads;          /* host threads that execute kernels */
    uint64_t budget;           /* instructions a warp may execute before it counts as endless */
    const char *counters_path; /* NULL: no counters are written */
};
const struct config *runtime_config(void);
void runtime_set_check(enum check_level check);
void runtime_set_execution(enum vgpu_execution execution);
void runtime_set_timed(bool is_timed);

/* One lock for the runtime's tables; recursive, held for short times, never while host functions run. */
void runtime_lock(void);
void runtime_unlock(void);

/* The address that memory knows a pointer by. */
static inline uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

struct memory *runtime_memory(void); /* NULL: the runtime has not been started, or could not be */

/* Starts the runtime on first use (environment, profile, memory). Safe in any thread. Returns cudaSuccess, or the error
 * of a context that a kernel has ruined (sticky until cudaDeviceReset), already remembered as the last error. */
cudaError_t runtime_begin(void);
/* The same for calls that wait for the device: a fault of an earlier kernel surfaces here. */
cudaError_t runtime_begin_sync(void);
/* Remembers error (unless it is success) as this thread's last error and returns it. */
cudaError_t runtime_error(cudaError_t error);
/* A kernel faulted: the fault surfaces at the next synchronising call; until then nothing more executes. */
void runtime_fault(cudaError_t error);
/* Pending or sticky: copies and launches are swallowed, as on a ruined context. */
bool runtime_has_fault(void);
/* cudaDeviceReset: forgets faults and all memory. */
cudaError_t runtime_restart(void);
/* One message naming the call; gives cudaErrorNotSupported. */
cudaError_t runtime_unsupported(const char *call, const char *why);
/* A finding on the host side, with the caller's place, printed through report_host(); gives error back, remembered. */
cudaError_t runtime_complain(cudaError_t error, enum vgpu_finding kind, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a likely cause of its own. */
cudaError_t runtime_complain_because(cudaError_t error, enum vgpu_finding kind, const char *cause,
                                     const char *what);

#endif
