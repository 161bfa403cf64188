/* pointer.c - the pointers of a copy: each must lie where the copy's kind says, and have room.
 * No byte moves before its pointer has passed here; what is wrong with one is told in words. */
#include "runtime/pointer.h"

#include <stdio.h>

#include "memory/late.h"
#include "runtime/image.h"

static bool is_host_kind(enum alloc_kind kind)
{
    return kind == ALLOC_PINNED || kind == ALLOC_MANAGED;
}

/* What would fit if it began earlier is no mix-up of bytes and elements, but a last piece that is not shortened. */
static cudaError_t complain_range(const char *call, const char *role, uint64_t size,
                                  const struct allocation *allocation, uint64_t offset, bool is_write)
{
    char start[80] = "", what[400];
    if (offset)
        snprintf(start, sizeof start, ", beginning %llu bytes into it", (unsigned long long)offset);
    snprintf(what, sizeof what, "%s %s %llu bytes %s an allocation of %llu bytes%s (its %s)", call,
             is_write ? "writes" : "copies", (unsigned long long)size, is_write ? "into" : "from",
             (unsigned long long)allocation->size, start, role);
    return runtime_complain_because(cudaErrorInvalidValue, VGPU_COPY_BOUNDS,
                                    offset && size <= allocation->size
                                        ? "it begins inside the array and goes on past its end: the last "
                                          "piece must be shorter than the others"
                                        : NULL,
                                    what);
}

static cudaError_t complain_host_pointer(const char *call, const char *role, const void *pointer)
{
    const char *symbol = variable_name(pointer);
    if (symbol)
        return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_SYMBOL_AS_POINTER,
                                "the %s of %s is `%s` itself, whose host address means nothing to the device",
                                role, call, symbol);
    return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_WANTS_DEVICE,
                            "the %s of %s is host memory, but the call says that it is on the device", role,
                            call);
}

static cudaError_t complain_device_pointer(const char *call, const char *role, const void *pointer)
{
    return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_WANTS_HOST,
                            "the %s of %s, %p, is device memory, but the call says that it is on the host",
                            role, call, pointer);
}

static cudaError_t complain_dead(const char *call, const char *role, const void *pointer)
{
    const struct allocation *near = memory_nearest(runtime_memory(), address_of(pointer));
    if (near && near->is_freed && address_of(pointer) - near->base < near->size)
        return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_FREED,
                                "the %s of %s, %p, lies in an allocation of %llu bytes that has been freed",
                                role, call, pointer, (unsigned long long)near->size);
    return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_NOWHERE,
                            "the %s of %s, %p, is a device address, but no allocation lies there", role, call,
                            pointer);
}

/* Where a copy begins in a registered range, it must end there; one that begins before it takes the way of pageable memory (seen
 * on an H200). */
static cudaError_t check_registered(const char *call, const char *role, const struct allocation *allocation,
                                    uint64_t offset, uint64_t size)
{
    if (size <= allocation->size - offset)
        return cudaSuccess;
    return runtime_complain(
        cudaErrorInvalidValue, VGPU_COPY_PARTLY_REGISTERED,
        "%s copies %llu bytes of host memory (its %s), of which cudaHostRegister was given %llu", call,
        (unsigned long long)size, role, (unsigned long long)(allocation->size - offset));
}

static uint8_t *bytes_in(const char *call, const char *role, struct allocation *allocation, uint64_t address,
                         uint64_t size, enum side side, bool is_write, cudaError_t *error)
{
    uint64_t offset = address - allocation->base;
    if (side == SIDE_HOST && !is_host_kind(allocation->kind)) {
        *error = complain_device_pointer(call, role, (const void *)(uintptr_t)address);
        return NULL;
    }
    if (allocation->is_registered && side != SIDE_DEVICE)
        *error = check_registered(call, role, allocation, offset, size);
    else if (size > allocation->size - offset)
        *error = complain_range(call, role, size, allocation, offset, is_write);
    return *error ? NULL : allocation->host + offset;
}

uint8_t *pointer_place(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                       bool is_write, cudaError_t *error)
{
    struct memory *memory = runtime_memory();
    uint64_t address = address_of(pointer);
    if (!size)
        return (uint8_t *)(uintptr_t)pointer;
    struct allocation *allocation = pointer ? memory_find(memory, address) : NULL;
    if (allocation)
        return bytes_in(call, role, allocation, address, size, side, is_write, error);
    if (!pointer)
        *error = runtime_complain(cudaErrorInvalidValue, VGPU_COPY_NULL, "the %s of %s is a null pointer",
                                  role, call);
    else if (memory_is_device_address(memory, address))
        *error = complain_dead(call, role, pointer);
    else if (side == SIDE_DEVICE)
        *error = complain_host_pointer(call, role, pointer);
    else
        return (uint8_t *)(uintptr_t)pointer;
    return NULL;
}

uint8_t *pointer_bytes(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                       bool is_write, cudaError_t *error)
{
    uint8_t *bytes = pointer_place(call, role, pointer, size, side, is_write, error);
    if (bytes)
        late_bring_at(runtime_memory(), address_of(pointer), size);
    return bytes;
}

bool pointer_sides(enum cudaMemcpyKind kind, enum side *destination, enum side *source)
{
    static const enum side sides[][2] = {
        [cudaMemcpyHostToHost] = {SIDE_HOST, SIDE_HOST},
        [cudaMemcpyHostToDevice] = {SIDE_DEVICE, SIDE_HOST},
        [cudaMemcpyDeviceToHost] = {SIDE_HOST, SIDE_DEVICE},
        [cudaMemcpyDeviceToDevice] = {SIDE_DEVICE, SIDE_DEVICE},
        [cudaMemcpyDefault] = {SIDE_ANY, SIDE_ANY},
    };
    if ((unsigned)kind >= sizeof sides / sizeof sides[0])
        return false;
    *destination = sides[kind][0];
    *source = sides[kind][1];
    return true;
}

bool pointer_is_on_device(const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return allocation && !is_host_kind(allocation->kind);
}

bool pointer_is_pinned(const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return allocation && is_host_kind(allocation->kind);
}

void pointer_written(const void *pointer, uint64_t size)
{
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (allocation && size)
        memory_mark_written(allocation, address_of(pointer), size);
}
