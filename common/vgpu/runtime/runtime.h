/* runtime.h - the inner face of the CUDA runtime: what its families (memory, launch, stream, texture, ...) share.
 * Every public call begins with runtime_begin() (or runtime_begin_sync() if it waits for the device) and leaves through
 * runtime_error(), so that CUDA's rules of last, pending and sticky errors live in one file, state.c.
 * Kernels execute at launch; the virtual clock alone decides when they are said to have run. */
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

/* ------------------------------------------------------------------------------------------- state, errors */

struct config {
    const struct gpu *gpu;
    enum check_level check;
    enum vgpu_execution execution;
    bool is_timed;             /* false: the timing model is left out, launches take their overhead only */
    unsigned threads;          /* host threads that execute kernels */
    uint64_t budget;           /* instructions a warp may execute before it counts as endless */
    const char *counters_path; /* NULL: no counters are written */
};

/* Starts the runtime on first use (environment, profile, memory). Safe in any thread. Returns cudaSuccess, or the error
 * of a context that a kernel has ruined (sticky until cudaDeviceReset), already remembered as the last error. */
cudaError_t runtime_begin(void);
/* The same for calls that wait for the device: a fault of an earlier kernel surfaces here. */
cudaError_t runtime_begin_sync(void);
/* Remembers error (unless it is success) as this thread's last error and returns it. */
cudaError_t runtime_error(cudaError_t error);
/* A kernel faulted: the fault surfaces at the next synchronising call; until then nothing more executes. */
void runtime_fault(cudaError_t error);
bool runtime_has_fault(
    void); /* pending or sticky: copies and launches are swallowed, as on a ruined context */
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

struct memory *runtime_memory(void); /* NULL: the runtime has not been started, or could not be */
const struct config *runtime_config(void);
void runtime_set_check(enum check_level check);
void runtime_set_execution(enum vgpu_execution execution);
void runtime_set_timed(bool is_timed);
/* One lock for the runtime's tables; recursive, held for short times, never while host functions run. */
void runtime_lock(void);
void runtime_unlock(void);

/* ------------------------------------------------------------------------------------------- pointers */

/* The bytes behind pointer for a copy of size bytes. role: "source", "destination". is_device_side: what the copy's
 * kind says of it (device memory; managed and pinned memory pass on both sides). NULL: it has complained and *error is
 * set. A size of 0 gives pointer itself. call names the API function for the message. */
enum side { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };
uint8_t *runtime_bytes(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                       bool is_write, cudaError_t *error);
/* The sides a cudaMemcpyKind stands for. False: no such kind. */
bool runtime_sides(enum cudaMemcpyKind kind, enum side *destination, enum side *source);
/* What a copy really does, for the clock: the kind by where its pointers lie. */
enum cudaMemcpyKind runtime_kind(const void *destination, const void *source);
/* Marks bytes as written by the host or a copy, if pointer lies in an allocation. */
void runtime_written(const void *pointer, uint64_t size);
/* A new allocation with its place recorded; NULL: no room. */
struct allocation *runtime_alloc(uint64_t size, enum alloc_kind kind);
/* Frees what frees by handle (arrays); records the place. */
void runtime_release(struct allocation *allocation);

/* ------------------------------------------------------------------------------------------- the virtual clock */

/* Copies and memsets take their stream's time; is_async: the call lets the host go on, as far as the kind of copy allows
 * it. Bytes are those moved. */
void runtime_copy_time(cudaStream_t stream, enum cudaMemcpyKind kind, uint64_t bytes, bool is_pinned,
                       bool is_async);
void runtime_memset_time(cudaStream_t stream, uint64_t bytes);
/* A kernel: its start in ns (for %globaltimer) and then its end; fill: its blocks over those that are resident at a time. */
uint64_t runtime_kernel_start(cudaStream_t stream);
void runtime_kernel_end(cudaStream_t stream, double time_us, double fill);
/* False: no stream of the program's; the caller returns cudaErrorInvalidResourceHandle. */
bool runtime_is_stream(cudaStream_t stream);

/* ------------------------------------------------------------------------------------------- kernels, symbols */

struct kernel {
    const void *host;          /* the stub's address: its identity */
    const char *name;          /* mangled */
    struct image *image;       /* image.c: the fatbin it comes from */
    struct function *function; /* NULL until first used */
    int dynamic_shared_limit;  /* cudaFuncSetAttribute; 0: the default of 48 KB less the static part */
    int carveout;
    struct kernel *next;
};

/* The kernel behind a host stub (a cudaKernel_t is its stub's address), registered and decoded. NULL with *error set and a message. */
struct kernel *runtime_kernel(const void *host, cudaError_t *error);
/* Without decoding: NULL if it is unknown. */
struct kernel *runtime_find_kernel(const void *host);
/* Where a __device__, __constant__ or __managed__ variable lies. */
cudaError_t runtime_symbol(const void *host, uint64_t *address, uint64_t *size, const char **name);
/* The name of the __device__ variable whose host shadow this is; NULL: it is none. */
const char *runtime_symbol_name(const void *host);
void runtime_modules_reset(void); /* cudaDeviceReset: images are loaded anew when next used */

/* The launch that all launching calls come to. */
struct launch_request {
    const struct kernel *kernel;
    dim3 grid, block;
    size_t shared;
    void **args;
    cudaStream_t stream;
    bool is_cooperative;
    bool is_by_handle; /* __cudaLaunchKernel, what <<<>>> becomes; it reports bad shapes by another code */
};
cudaError_t runtime_launch(const struct launch_request *request);

void runtime_clock_reset(void);
void runtime_leaks_report(void);

#endif
