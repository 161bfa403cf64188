/* memory.c - allocation and release of device, pinned, managed and pitched memory, and questions about pointers.
 * Every allocation remembers the host line that made it, so that messages can name it.
 * Bytes move in copy.c; allocation in the order of a stream is in memory_async.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "memory/late.h"
#include "report/names.h"
#include "report/report.h"
#include "runtime/allocation.h"
#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/graph_memory.h"
#include "runtime/handles.h"
#include "runtime/host_calls.h"
#include "runtime/pool.h"
#include "runtime/watch.h"

enum { PITCH_ALIGNMENT = 512 };

/* Flags of pinned memory, which an allocation has no room for. */
struct host_flags {
    const void *base;
    unsigned flags;
    struct host_flags *next;
};
static struct host_flags *host_flags;

static void *pointer_to(const struct allocation *allocation)
{
    return (void *)(uintptr_t)allocation->base;
}

/* ------------------------------------------------------------------------------------------- allocation */

static cudaError_t allocate(void **out, uint64_t size, enum alloc_kind kind)
{
    struct allocation *allocation = allocation_new(size, kind);
    if (!allocation)
        return runtime_error(cudaErrorMemoryAllocation);
    *out = pointer_to(allocation);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_unsafe("cudaMalloc");
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    *out = NULL;
    error = size ? allocate(out, size, ALLOC_DEVICE) : cudaSuccess;
    if (*out)
        watch_alloc("cudaMalloc", *out, size, NULL);
    return error;
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_unsafe("cudaMallocManaged");
    if (error)
        return error;
    if (!out || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return runtime_error(cudaErrorInvalidValue);
    *out = NULL;
    error = allocate(out, size, ALLOC_MANAGED);
    if (*out)
        watch_alloc("cudaMallocManaged", *out, size, NULL);
    return error;
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_unsafe("cudaMallocPitch");
    if (error)
        return error;
    uint64_t bytes;
    if (!out || !pitch || width > SIZE_MAX - PITCH_ALIGNMENT)
        return runtime_error(cudaErrorInvalidValue);
    *pitch = round_up(width, PITCH_ALIGNMENT);
    *out = NULL;
    if (__builtin_mul_overflow((uint64_t)*pitch, (uint64_t)height, &bytes))
        return runtime_error(cudaErrorMemoryAllocation);
    if (!bytes)
        return cudaSuccess;
    error = allocate(out, bytes, ALLOC_DEVICE);
    if (error)
        return error;
    memory_find(runtime_memory(), address_of(*out))->pitch = *pitch;
    watch_alloc("cudaMallocPitch", *out, bytes, NULL);
    return cudaSuccess;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    size_t rows;
    if (!out || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_error(cudaErrorInvalidValue);
    cudaError_t error = cudaMallocPitch(&out->ptr, &out->pitch, extent.width, rows);
    out->xsize = extent.width;
    out->ysize = extent.height;
    return error;
}

/* ------------------------------------------------------------------------------------------- release */

static cudaError_t complain_freed(const char *call, const struct allocation *allocation)
{
    char first[300] = "an unknown place", made[300] = "an unknown place";
    host_line(allocation->free_frames, ALLOC_FRAMES, first, sizeof first);
    host_line(allocation->frames, ALLOC_FRAMES, made, sizeof made);
    return runtime_complain(cudaErrorInvalidValue, VGPU_DOUBLE_FREE,
                            "%s of %llu bytes that were already freed at %s (allocated at %s)", call,
                            (unsigned long long)allocation->size, first, made);
}

static cudaError_t complain_unknown(const char *call, const void *pointer)
{
    const struct allocation *near = memory_nearest(runtime_memory(), address_of(pointer));
    bool is_inside =
        near && address_of(pointer) >= near->base && address_of(pointer) - near->base < near->size;
    if (is_inside && near->is_freed && address_of(pointer) == near->base)
        return complain_freed(call, near);
    if (is_inside && !near->is_freed)
        return runtime_complain(cudaErrorInvalidValue, VGPU_FREE_INSIDE,
                                "%s of %p, which lies %llu bytes into an allocation of %llu bytes", call,
                                pointer, (unsigned long long)(address_of(pointer) - near->base),
                                (unsigned long long)near->size);
    return runtime_complain(cudaErrorInvalidValue, VGPU_FREE_FOREIGN,
                            "%s of a pointer that no CUDA call has given", call);
}

static cudaError_t complain_kind(const char *call, const char *right)
{
    return runtime_complain(cudaErrorInvalidValue, VGPU_FREE_WRONG_CALL, "%s of memory that %s frees", call,
                            right);
}

/* What cudaFree takes, by kind; the call to use instead for the others. */
static const char *const freed_by[] = {
    [ALLOC_DEVICE] = NULL,
    [ALLOC_PINNED] = "cudaFreeHost",
    [ALLOC_MANAGED] = NULL,
    [ALLOC_SYMBOL] = "the program's end (it is a __device__ variable)",
    [ALLOC_CONST] = "the program's end (it is a __constant__ variable)",
    [ALLOC_HEAP] = "free() in a kernel",
    [ALLOC_ARRAY] = "cudaFreeArray",
};

cudaError_t memory_free(void *pointer)
{
    host_calls_wait(NULL);
    cudaError_t error = runtime_begin_sync();
    if (error || !pointer)
        return error;
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (!allocation || allocation->base != address_of(pointer))
        return complain_unknown("cudaFree", pointer);
    if (freed_by[allocation->kind] || (allocation->kind == ALLOC_MANAGED && allocation->name))
        return complain_kind("cudaFree",
                             freed_by[allocation->kind] ? freed_by[allocation->kind] : "the program's end");
    if (graph_memory_free(pointer))
        return cudaSuccess;
    watch_free("cudaFree", pointer, NULL);
    pool_forget(pointer);
    allocation_free(allocation);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    cudaError_t error = captures_unsafe("cudaFree");
    if (!error)
        error = memory_free(pointer);
    if (!error && pointer)
        order_host_waits_for_all();
    return error;
}

/* The driver waits for the device, but nothing says that it must. */
static void release_pinned(const char *call, struct allocation *allocation)
{
    order_host_uses(call, pointer_to(allocation), allocation->size, true);
    order_host_waits_for_all();
    allocation_free(allocation);
}

cudaError_t cudaFreeHost(void *pointer)
{
    host_calls_wait(NULL);
    cudaError_t error = runtime_begin_sync();
    if (!error)
        error = captures_unsafe("cudaFreeHost");
    if (error || !pointer)
        return error;
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (!allocation || allocation->base != address_of(pointer))
        return complain_unknown("cudaFreeHost", pointer);
    if (allocation->kind != ALLOC_PINNED)
        return complain_kind("cudaFreeHost",
                             freed_by[allocation->kind] ? freed_by[allocation->kind] : "cudaFree");
    if (allocation->is_registered)
        return complain_kind("cudaFreeHost", "the program itself, after cudaHostUnregister,");
    release_pinned("cudaFreeHost", allocation);
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- pinned memory */

static void keep_flags(const void *base, unsigned flags)
{
    struct host_flags *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    runtime_lock();
    *kept = (struct host_flags){base, flags, host_flags};
    host_flags = kept;
    runtime_unlock();
}

static unsigned kept_flags(const void *base)
{
    runtime_lock();
    const struct host_flags *kept = host_flags;
    while (kept && kept->base != base)
        kept = kept->next;
    unsigned flags = kept ? kept->flags : cudaHostAllocDefault;
    runtime_unlock();
    return flags;
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_unsafe("cudaHostAlloc");
    if (error)
        return error;
    if (!out || (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)))
        return runtime_error(cudaErrorInvalidValue);
    *out = NULL;
    if (!size)
        return cudaSuccess;
    error = allocate(out, size, ALLOC_PINNED);
    order_may_overlap();
    if (!error)
        keep_flags(*out, flags | cudaHostAllocMapped); /* unified addressing maps all of it */
    return error;
}

cudaError_t cudaMallocHost(void **out, size_t size)
{
    return cudaHostAlloc(out, size, cudaHostAllocDefault);
}

/* What the device knows already of a range; NULL: nothing. */
static const struct allocation *find_known(const void *pointer, size_t size)
{
    const struct memory *memory = runtime_memory();
    const uint64_t first = address_of(pointer), last = first + size - 1;
    const struct allocation *known = memory_find(memory, first);
    if (!known)
        known = memory_find(memory, last);
    if (!known)
        known = memory_next_registered(memory, first);
    return known && known->base <= last ? known : NULL;
}

static bool is_host_memory(const struct allocation *allocation)
{
    return allocation->kind == ALLOC_PINNED || allocation->kind == ALLOC_MANAGED;
}

static cudaError_t complain_known(size_t size, const struct allocation *known)
{
    char line[300], made[320] = "";
    if (host_line(known->frames, ALLOC_FRAMES, line, sizeof line))
        snprintf(made, sizeof made, " at %s", line);
    if (!is_host_memory(known))
        return runtime_complain(cudaErrorInvalidValue, VGPU_REGISTER_DEVICE,
                                "cudaHostRegister is given device memory, allocated%s with %llu bytes", made,
                                (unsigned long long)known->size);
    /* what cudaMallocHost gave is another error than what was registered */
    const cudaError_t error =
        known->is_registered ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue;
    return runtime_complain(error, VGPU_REGISTER_AGAIN,
                            "cudaHostRegister of %zu bytes, of which some were pinned%s and still are", size,
                            made);
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (!error)
        error = captures_unsafe("cudaHostRegister");
    if (error)
        return error;
    unsigned all = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                   cudaHostRegisterReadOnly;
    if (!pointer || !size || (flags & ~all))
        return runtime_error(cudaErrorInvalidValue);
    const struct allocation *known = find_known(pointer, size);
    if (known)
        return complain_known(size, known);
    struct allocation *allocation = memory_register(runtime_memory(), pointer, size);
    if (!allocation)
        return runtime_error(cudaErrorMemoryAllocation);
    late_register(runtime_memory(), allocation);
    report_frames(allocation->frames, ALLOC_FRAMES);
    order_may_overlap();
    keep_flags(pointer, flags | cudaHostRegisterMapped);
    handle_made(HANDLE_PINNED, address_of(pointer));
    watch_pinned("cudaHostRegister", pointer, size);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    host_calls_wait(NULL);
    cudaError_t error = runtime_begin_sync();
    if (!error)
        error = captures_unsafe("cudaHostUnregister");
    if (error)
        return error;
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (!pointer || (allocation && !is_host_memory(allocation)))
        return runtime_error(cudaErrorInvalidValue);
    if (!allocation || !allocation->is_registered || allocation->base != address_of(pointer))
        return runtime_error(cudaErrorHostMemoryNotRegistered);
    handle_gone(HANDLE_PINNED, address_of(pointer));
    release_pinned("cudaHostUnregister", allocation);
    return cudaSuccess;
}

static struct allocation *find_pinned(const void *pointer)
{
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return allocation && is_host_memory(allocation) ? allocation : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out || flags || !find_pinned(host))
        return runtime_error(cudaErrorInvalidValue);
    *out = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    struct allocation *allocation = find_pinned(host);
    if (!flags || !allocation || allocation->kind != ALLOC_PINNED)
        return runtime_error(cudaErrorInvalidValue);
    *flags = kept_flags(pointer_to(allocation));
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- questions */

enum { DRIVER_BYTES = 512 << 20 }; /* what a context takes: so that free is below total, as on a real GPU */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!free_bytes || !total)
        return runtime_error(cudaErrorInvalidValue);
    uint64_t capacity = runtime_config()->gpu->memory_bytes,
             used = memory_used(runtime_memory()) + DRIVER_BYTES;
    *total = capacity;
    *free_bytes = used < capacity ? capacity - used : 0;
    return cudaSuccess;
}

static const enum cudaMemoryType types[] = {
    [ALLOC_DEVICE] = cudaMemoryTypeDevice,   [ALLOC_PINNED] = cudaMemoryTypeHost,
    [ALLOC_MANAGED] = cudaMemoryTypeManaged, [ALLOC_SYMBOL] = cudaMemoryTypeDevice,
    [ALLOC_CONST] = cudaMemoryTypeDevice,    [ALLOC_HEAP] = cudaMemoryTypeDevice,
    [ALLOC_ARRAY] = cudaMemoryTypeDevice,
};

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    const struct allocation *allocation = pointer ? memory_find(runtime_memory(), address_of(pointer)) : NULL;
    memset(out, 0, sizeof *out);
    out->type = allocation ? types[allocation->kind] : cudaMemoryTypeUnregistered;
    out->device = allocation ? 0 : cudaInvalidDeviceId;
    bool is_device = allocation && out->type != cudaMemoryTypeUnregistered;
    bool is_host = !allocation || out->type == cudaMemoryTypeHost || out->type == cudaMemoryTypeManaged;
    out->devicePointer = is_device ? (void *)(uintptr_t)pointer : NULL;
    out->hostPointer = is_host ? (void *)(uintptr_t)pointer : NULL;
    return cudaSuccess;
}

/* Managed memory exists once and is seen by both sides: a prefetch has nothing to move and no time to take. */
static cudaError_t check_managed(const void *pointer, size_t size, struct cudaMemLocation location)
{
    if (!size || location.type < cudaMemLocationTypeInvalid ||
        location.type > cudaMemLocationTypeHostNumaCurrent)
        return runtime_error(cudaErrorInvalidValue);
    if (location.type == cudaMemLocationTypeDevice && location.id != 0)
        return runtime_error(cudaErrorInvalidDevice);
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    bool is_inside = allocation && allocation->kind == ALLOC_MANAGED &&
                     address_of(pointer) + size <= allocation->base + allocation->size;
    return is_inside ? cudaSuccess : runtime_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (flags)
        return runtime_error(cudaErrorInvalidValue);
    if (!stream_is_known(stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    return check_managed(pointer, size, location);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return runtime_error(cudaErrorInvalidValue);
    return check_managed(pointer, size, location);
}
