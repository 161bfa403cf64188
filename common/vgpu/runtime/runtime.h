/* runtime.h - the CUDA runtime from the ground up, and the floor that all of it stands on: state.c.
 *
 *   print.c          what kernels printed, until the host waits
 *   signals.c        host code that follows a device pointer: explained
 *   calendar.c       which part of an engine is taken from when to when
 * * host_calls.c     host functions of streams, on a thread of their own
 *   state.c          the start, settings, the lock, CUDA's rules of errors
 *   error_text.c     errors in words
 *   clock.c          when operations begin and end on streams and engines
 *   captures.c       which captures are under way, and which calls they forbid
 *   order.c          which operations nothing orders, and what they share
 *   watch.c          what tools are told (vgpu.h)
 *   counters_file.c  a line of JSON for each launch
 *   allocation.c     device memory with the host lines that made it
 *   handles.c        streams, events, graphs, textures that are there, with the host lines that made them
 *   leaks.c          what was never freed
 *   image_read.c     from a fatbin to PTX and ptxas's figures
 *   image.c          what nvcc's start-up code registers: fatbins, kernels, variables; loaded when first used
 *   library.c        the same for code that is loaded at run time
 *   function.c       questions about kernels: attributes, occupancy
 *   pool.c           memory pools: they only count
 * * graph_memory.c   memory that graphs allocate
 *   memory.c         cudaMalloc, cudaFree, pinned and managed memory
 *   array.c          arrays, which textures and surfaces show to kernels
 *   texture.c        textures and surfaces
 *   event.c          points of a stream's time
 *   graph_node.c     graphs as data
 *   capture.c        what is given to a stream becomes a graph instead
 *   pointer.c        where the pointers of a copy lie, and whether they have room
 *   copy.c           copies of memory and of variables
 *   memset.c         memsets
 *   copy3d.c         copies of boxes and of arrays
 *   memory_async.c   cudaMallocAsync, cudaFreeAsync
 *   stream.c         streams: life, order, waiting
 *   launch_check.c   can a launch be done?
 *   hints.c          one line at the end: what VGPU_CHECK=full may tell
 *   launch.c         kernel launches, executed at once
 *   graph_run.c      graphs, executed by the calls above
 *   graph.c          the API of graphs
 *   graph_tell.c     graphs that were not captured, told as captures
 *   graph_exec.c     the API of graphs that are ready to run
 *   device.c         properties, limits, reset, waiting for the whole device
 *   perthread.c      the spellings of --default-stream per-thread
 *   unsupported.c    calls that are missing, and say so
 *   public.c         vgpu.h, but for watching
 *
 * A file calls those above it in this list only. What is marked * is for programs that vgpucc compiles: traces do not carry
 * it (watch_other()), so the labs' graders refuse it by name. So they do with surfaces, layers, and graphs that are changed.
 *
 * Every public call begins with runtime_begin() (or runtime_begin_sync() if it waits for the device) and leaves through
 * runtime_error(), so that CUDA's rules of last, pending and sticky errors live in one place. Kernels execute at
 * launch; the virtual clock alone decides when they are said to have run. */
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
    bool is_check_set; /* by vgpu_set_check(), not by the environment: nobody needs a hint */
    bool notes_use;    /* see vgpu_set_use() */
    enum vgpu_execution execution;
    uint64_t sample_seed;      /* see vgpu_set_sample_seed() */
    unsigned sample_least;     /* see vgpu_set_sample_least() */
    enum vgpu_order order;     /* of blocks */
    bool is_timed;             /* false: the timing model is left out, launches take their overhead only */
    bool is_clock_virtual;     /* see host_clock.c */
    unsigned threads;          /* host threads that execute kernels */
    uint64_t budget;           /* cost of a block, in simple instructions: core/budget.c */
    uint64_t work;             /* instructions that all warps of all further launches may execute together */
    uint64_t patience;         /* see vgpu_set_patience() */
    int refusal;               /* see vgpu_refuse_launches() */
    uint64_t garbage;          /* seed of what memory holds before it is written; 0: zeros */
    const char *counters_path; /* NULL: no counters are written */
    bool is_explained;         /* each kernel is, when the program ends: */
    bool is_told;              /* by words, */
    const char *report;        /* by a page of this name; NULL: by none */
};
const struct config *runtime_config(void);
void runtime_set_check(enum check_level check);
void runtime_set_use(bool is_noted);
void runtime_set_execution(enum vgpu_execution execution);
void runtime_set_caches(bool has_caches);
void runtime_set_timed(bool is_timed);
void runtime_set_sample_seed(uint64_t seed);
void runtime_set_sample_least(unsigned blocks);
void runtime_set_order(enum vgpu_order order);
void runtime_set_garbage(uint64_t seed);
void runtime_halve_sms(void);
void runtime_set_work(uint64_t work); /* 0: no limit */
void runtime_set_patience(uint64_t patience);
void runtime_refuse_launches(int error);
void runtime_spend(uint64_t work); /* under the runtime's lock */

/* One lock for the runtime's tables; recursive, held for short times, never while host functions run. */
void runtime_lock(void);
void runtime_unlock(void);
/* How long it was held so far: what the emulation took. Zero unless the host's clocks are virtual. */
uint64_t runtime_busy_ns(void);

/* The address that memory knows a pointer by. */
static inline uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

struct memory *runtime_memory(void); /* NULL: the runtime has not been started, or could not be */

/* Starts the runtime on first use (environment, profile, memory). Safe in any thread. Returns cudaSuccess, or the error
 * of a context that a kernel has ruined (sticky until cudaDeviceReset), already remembered as the last error. */
cudaError_t runtime_begin(void);
/* The same for settings, which are taken also in a context that is ruined. False: it could not be started. */
bool runtime_is_there(void);
/* The same for calls that wait for the device: a fault of an earlier kernel surfaces here. */
cudaError_t runtime_begin_sync(void);
/* Remembers error (unless it is success) as this thread's last error and returns it. */
cudaError_t runtime_error(cudaError_t error);
/* A kernel faulted: the fault surfaces at the next synchronising call; until then nothing more executes. */
void runtime_fault(cudaError_t error);
/* Pending or sticky: copies and launches are swallowed, as on a ruined context. */
bool runtime_has_fault(void);
/* The same as runtime_error(), of a call whose refusal was told. */
cudaError_t runtime_refused(cudaError_t error);
bool runtime_has_refused(void);
/* cudaDeviceReset: forgets faults and all memory. */
cudaError_t runtime_restart(void);
/* The next restart hands out the addresses that were handed out first. What still holds an old one would not be found out. */
void runtime_keep_place(void);
/* One message naming the call; gives cudaErrorNotSupported. */
cudaError_t runtime_unsupported(const char *call, const char *why);
/* A finding on the host side, with the caller's place, printed through report_host(); gives error back, remembered. */
cudaError_t runtime_complain(cudaError_t error, enum vgpu_finding kind, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a likely cause of its own. */
cudaError_t runtime_complain_because(cudaError_t error, enum vgpu_finding kind, const char *cause,
                                     const char *what);

#endif
