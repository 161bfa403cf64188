/* copy.c - copies and memsets of linear and pitched memory, and copies to and from symbols.
 * Every pointer passes copy_bytes() before a byte moves: it must lie where the copy's kind says and have room.
 * Arrays and three-dimensional copies are in array.c. */
#include <stdio.h>
#include <string.h>

#include "runtime/capture.h"
#include "runtime/clock.h"
#include "runtime/copy.h"
#include "runtime/host_calls.h"
#include "runtime/image.h"
#include "runtime/watch.h"

/* ------------------------------------------------------------------------------------------- pointers */

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static bool is_host_kind(enum alloc_kind kind)
{
    return kind == ALLOC_PINNED || kind == ALLOC_MANAGED;
}

static cudaError_t complain_range(const char *call, const char *role, uint64_t size,
                                  const struct allocation *allocation, uint64_t offset, bool is_write)
{
    char start[80] = "";
    if (offset)
        snprintf(start, sizeof start, ", beginning %llu bytes into it", (unsigned long long)offset);
    return runtime_complain(cudaErrorInvalidValue, VGPU_COPY_BOUNDS,
                            "%s %s %llu bytes %s an allocation of %llu bytes%s (its %s)", call,
                            is_write ? "writes" : "copies", (unsigned long long)size,
                            is_write ? "into" : "from", (unsigned long long)allocation->size, start, role);
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

static uint8_t *bytes_in(const char *call, const char *role, const struct allocation *allocation,
                         uint64_t address, uint64_t size, enum side side, bool is_write, cudaError_t *error)
{
    uint64_t offset = address - allocation->base;
    if (side == SIDE_HOST && !is_host_kind(allocation->kind)) {
        *error = complain_device_pointer(call, role, (const void *)(uintptr_t)address);
        return NULL;
    }
    /* Registered memory may be part of a larger host array, which a host-side copy may use as a whole. */
    bool is_bounded = !(allocation->is_registered && side != SIDE_DEVICE);
    if (is_bounded && size > allocation->size - offset) {
        *error = complain_range(call, role, size, allocation, offset, is_write);
        return NULL;
    }
    return allocation->host + offset;
}

uint8_t *copy_bytes(const char *call, const char *role, const void *pointer, uint64_t size, enum side side,
                    bool is_write, cudaError_t *error)
{
    struct memory *memory = runtime_memory();
    uint64_t address = address_of(pointer);
    if (!size)
        return (uint8_t *)(uintptr_t)pointer;
    const struct allocation *allocation = pointer ? memory_find(memory, address) : NULL;
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

bool copy_sides(enum cudaMemcpyKind kind, enum side *destination, enum side *source)
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

static bool is_on_device(const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return allocation && !is_host_kind(allocation->kind);
}

static bool is_pinned(const void *pointer)
{
    const struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    return !allocation ? false : is_host_kind(allocation->kind);
}

/* What a copy really does, for the clock: the kind by where its pointers lie. */
static enum cudaMemcpyKind kind_of(const void *destination, const void *source)
{
    if (is_on_device(destination))
        return is_on_device(source) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return is_on_device(source) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

void copy_written(const void *pointer, uint64_t size)
{
    struct allocation *allocation = memory_find(runtime_memory(), address_of(pointer));
    if (allocation && size)
        memory_mark_written(allocation, address_of(pointer), size);
}

/* What was never written stays so when it is copied within the device: the reader of the copy is told. */
static void carry_written(const void *destination, const void *source, uint64_t size)
{
    const struct allocation *from = memory_find(runtime_memory(), address_of(source));
    uint64_t first, end = size;
    if (!from || !from->valid || memory_is_written(from, address_of(source), size, &first)) {
        copy_written(destination, size);
        return;
    }
    for (uint64_t i = 0; i < end; i++) {
        uint64_t bit = address_of(source) - from->base + i;
        if (from->valid[bit / 8] >> bit % 8 & 1)
            copy_written((const char *)destination + i, 1);
    }
}

/* ------------------------------------------------------------------------------------------- copies */

/* A copy of rows; a plain copy has one row. */
struct copy {
    const char *call;
    void *destination;
    const void *source;
    uint64_t destination_pitch, source_pitch, width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool is_async;
};

static uint64_t span(uint64_t pitch, const struct copy *copy)
{
    return copy->width && copy->height ? (copy->height - 1) * pitch + copy->width : 0;
}

static bool has_overflow(const struct copy *copy)
{
    uint64_t last = copy->height ? copy->height - 1 : 0, bytes;
    return __builtin_mul_overflow(last, copy->destination_pitch, &bytes) ||
           __builtin_add_overflow(bytes, copy->width, &bytes) ||
           __builtin_mul_overflow(last, copy->source_pitch, &bytes) ||
           __builtin_add_overflow(bytes, copy->width, &bytes);
}

static void move_rows(const struct copy *copy, uint8_t *destination, const uint8_t *source)
{
    for (uint64_t row = 0; row < copy->height; row++) {
        memmove(destination + row * copy->destination_pitch, source + row * copy->source_pitch, copy->width);
        carry_written((const char *)copy->destination + row * copy->destination_pitch,
                      (const char *)copy->source + row * copy->source_pitch, copy->width);
    }
}

static cudaError_t resolve(const struct copy *copy, uint8_t **destination, const uint8_t **source)
{
    enum side to, from;
    cudaError_t error = cudaSuccess;
    if (!copy_sides(copy->kind, &to, &from))
        return runtime_error(cudaErrorInvalidMemcpyDirection);
    if (has_overflow(copy))
        return runtime_error(cudaErrorInvalidValue);
    *destination = copy_bytes(copy->call, "destination", copy->destination,
                              span(copy->destination_pitch, copy), to, true, &error);
    if (error)
        return error;
    *source =
        copy_bytes(copy->call, "source", copy->source, span(copy->source_pitch, copy), from, false, &error);
    return error;
}

static cudaError_t capture(const struct copy *copy)
{
    if (copy->height == 1)
        return capture_copy(copy->stream, copy->destination, copy->source, copy->width, copy->kind);
    struct cudaMemcpy3DParms params = {
        .dstPtr = {copy->destination, copy->destination_pitch, copy->width, copy->height},
        .srcPtr = {(void *)(uintptr_t)copy->source, copy->source_pitch, copy->width, copy->height},
        .extent = {copy->width, copy->height, 1},
        .kind = copy->kind,
    };
    return capture_copy3d(copy->stream, &params);
}

static void book(const struct copy *copy)
{
    enum cudaMemcpyKind kind = kind_of(copy->destination, copy->source);
    const void *host = kind == cudaMemcpyDeviceToHost ? copy->destination : copy->source;
    clock_copy(copy->stream, kind, copy->width * copy->height, is_pinned(host), copy->is_async);
}

static void tell(const struct copy *copy)
{
    if (watch_wants_operations())
        watch_operation(&(struct vgpu_operation){.kind = VGPU_COPY,
                                                 .call = copy->call,
                                                 .stream = watch_stream(copy->stream),
                                                 .to = copy->destination,
                                                 .from = copy->source,
                                                 .to_pitch = copy->destination_pitch,
                                                 .from_pitch = copy->source_pitch,
                                                 .width = copy->width,
                                                 .height = copy->height,
                                                 .is_to_device = is_on_device(copy->destination),
                                                 .is_from_device = is_on_device(copy->source)});
}

static cudaError_t perform(const struct copy *copy)
{
    uint8_t *destination = NULL;
    const uint8_t *source = NULL;
    host_calls_wait();
    cudaError_t error = copy->is_async ? runtime_begin() : runtime_begin_sync();
    if (error)
        return error;
    if (!stream_is_known(copy->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (copy->width && copy->height > 1 &&
        (copy->width > copy->destination_pitch || copy->width > copy->source_pitch))
        return runtime_error(cudaErrorInvalidPitchValue);
    if (!copy->width || !copy->height)
        return cudaSuccess;
    error = resolve(copy, &destination, &source);
    if (error)
        return error;
    if (!destination || !source)
        return runtime_error(cudaErrorInvalidValue);
    if (capture_is_active(copy->stream))
        return copy->is_async ? capture(copy) : capture_refuse(copy->stream, copy->call);
    if (runtime_has_fault())
        return cudaSuccess;
    tell(copy);
    runtime_lock();
    move_rows(copy, destination, source);
    runtime_unlock();
    book(copy);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind)
{
    return perform(&(struct copy){"cudaMemcpy", destination, source, size, size, size, 1, kind, NULL, false});
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return perform(
        &(struct copy){"cudaMemcpyAsync", destination, source, size, size, size, 1, kind, stream, true});
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return perform(&(struct copy){"cudaMemcpy2D", destination, source, destination_pitch, source_pitch, width,
                                  height, kind, NULL, false});
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return perform(&(struct copy){"cudaMemcpy2DAsync", destination, source, destination_pitch, source_pitch,
                                  width, height, kind, stream, true});
}

static cudaError_t copy_peer(const char *call, void *destination, int destination_device, const void *source,
                             int source_device, size_t size, cudaStream_t stream, bool is_async)
{
    if (destination_device != 0 || source_device != 0)
        return runtime_error(cudaErrorInvalidDevice);
    return perform(&(struct copy){call, destination, source, size, size, size, 1, cudaMemcpyDeviceToDevice,
                                  stream, is_async});
}

cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source, int source_device,
                           size_t size)
{
    return copy_peer("cudaMemcpyPeer", destination, destination_device, source, source_device, size, NULL,
                     false);
}

cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source,
                                int source_device, size_t size, cudaStream_t stream)
{
    return copy_peer("cudaMemcpyPeerAsync", destination, destination_device, source, source_device, size,
                     stream, true);
}

/* ------------------------------------------------------------------------------------------- symbols */

/* The device address offset bytes into a symbol that has room for size more; 0 with *error set. */
static void *in_symbol(const char *call, const void *symbol, size_t size, size_t offset, cudaError_t *error)
{
    uint64_t address = 0, room = 0;
    const char *name = "";
    *error = runtime_begin();
    if (!*error)
        *error = runtime_error(variable_locate(symbol, &address, &room, &name));
    if (*error)
        return NULL;
    if (offset > room || size > room - offset) {
        *error = runtime_complain(cudaErrorInvalidValue, VGPU_COPY_SYMBOL_BOUNDS,
                                  "%s of %zu bytes at offset %zu of `%s`, which has %llu bytes", call, size,
                                  offset, name, (unsigned long long)room);
        return NULL;
    }
    return (void *)(uintptr_t)(address + offset);
}

static cudaError_t to_symbol(const char *call, const void *symbol, const void *source, size_t size,
                             size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    cudaError_t error;
    void *destination = in_symbol(call, symbol, size, offset, &error);
    if (error)
        return error;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return runtime_error(cudaErrorInvalidMemcpyDirection);
    return perform(&(struct copy){call, destination, source, size, size, size, 1, kind, stream, is_async});
}

static cudaError_t from_symbol(const char *call, void *destination, const void *symbol, size_t size,
                               size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    cudaError_t error;
    const void *source = in_symbol(call, symbol, size, offset, &error);
    if (error)
        return error;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return runtime_error(cudaErrorInvalidMemcpyDirection);
    return perform(&(struct copy){call, destination, source, size, size, size, 1, kind, stream, is_async});
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return to_symbol("cudaMemcpyToSymbol", symbol, source, size, offset, kind, NULL, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return to_symbol("cudaMemcpyToSymbolAsync", symbol, source, size, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return from_symbol("cudaMemcpyFromSymbol", destination, symbol, size, offset, kind, NULL, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return from_symbol("cudaMemcpyFromSymbolAsync", destination, symbol, size, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    cudaError_t error;
    if (!out)
        return runtime_error(cudaErrorInvalidValue);
    *out = in_symbol("cudaGetSymbolAddress", symbol, 0, 0, &error);
    return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address, bytes = 0;
    const char *name;
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!size)
        return runtime_error(cudaErrorInvalidValue);
    error = runtime_error(variable_locate(symbol, &address, &bytes, &name));
    *size = bytes;
    return error;
}

/* ------------------------------------------------------------------------------------------- memset */

struct fill {
    const char *call;
    void *pointer;
    uint64_t pitch, width, height, depth_rows; /* depth_rows: rows of one slice, whether filled or not */
    uint64_t depth;
    int value;
    cudaStream_t stream;
    bool is_async;
};

static void fill_rows(const struct fill *fill, uint8_t *bytes)
{
    for (uint64_t slice = 0; slice < fill->depth; slice++)
        for (uint64_t row = 0; row < fill->height; row++) {
            uint64_t offset = (slice * fill->depth_rows + row) * fill->pitch;
            memset(bytes + offset, fill->value, fill->width);
            copy_written((const char *)fill->pointer + offset, fill->width);
        }
}

static cudaError_t capture_fill(const struct fill *fill)
{
    if (!fill->is_async || fill->depth != 1)
        return capture_refuse(fill->stream, fill->call);
    struct cudaMemsetParams params = {.dst = fill->pointer,
                                      .pitch = fill->pitch,
                                      .value = (unsigned char)fill->value,
                                      .elementSize = 1,
                                      .width = fill->width,
                                      .height = fill->height};
    return capture_memset(fill->stream, &params);
}

static void tell_fill(const struct fill *fill)
{
    if (fill->depth > 1)
        watch_other(fill->call);
    else if (watch_wants_operations())
        watch_operation(&(struct vgpu_operation){.kind = VGPU_SET,
                                                 .call = fill->call,
                                                 .stream = watch_stream(fill->stream),
                                                 .to = fill->pointer,
                                                 .to_pitch = fill->pitch,
                                                 .width = fill->width,
                                                 .height = fill->height,
                                                 .is_to_device = true,
                                                 .value = (unsigned char)fill->value,
                                                 .value_bytes = 1});
}

static cudaError_t perform_fill(const struct fill *fill)
{
    host_calls_wait();
    cudaError_t error = runtime_begin(); /* a memset does not wait for the device */
    if (error)
        return error;
    if (!stream_is_known(fill->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    if (!fill->width || !fill->height || !fill->depth)
        return cudaSuccess;
    if ((fill->height > 1 || fill->depth > 1) && fill->width > fill->pitch)
        return runtime_error(cudaErrorInvalidValue);
    uint64_t rows = (fill->depth - 1) * fill->depth_rows + fill->height - 1, bytes;
    if (__builtin_mul_overflow(rows, fill->pitch, &bytes) ||
        __builtin_add_overflow(bytes, fill->width, &bytes))
        return runtime_error(cudaErrorInvalidValue);
    uint8_t *target = copy_bytes(fill->call, "destination", fill->pointer, bytes, SIDE_DEVICE, true, &error);
    if (!target)
        return error;
    if (capture_is_active(fill->stream))
        return capture_fill(fill);
    if (runtime_has_fault())
        return cudaSuccess;
    tell_fill(fill);
    runtime_lock();
    fill_rows(fill, target);
    runtime_unlock();
    clock_memset(fill->stream, fill->width * fill->height * fill->depth);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    return perform_fill(&(struct fill){"cudaMemset", pointer, size, size, 1, 1, 1, value, NULL, false});
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    return perform_fill(&(struct fill){"cudaMemsetAsync", pointer, size, size, 1, 1, 1, value, stream, true});
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return perform_fill(
        &(struct fill){"cudaMemset2D", pointer, pitch, width, height, height, 1, value, NULL, false});
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return perform_fill(
        &(struct fill){"cudaMemset2DAsync", pointer, pitch, width, height, height, 1, value, stream, true});
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr at, int value, struct cudaExtent extent)
{
    return perform_fill(&(struct fill){"cudaMemset3D", at.ptr, at.pitch, extent.width, extent.height,
                                       at.ysize, extent.depth, value, NULL, false});
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr at, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return perform_fill(&(struct fill){"cudaMemset3DAsync", at.ptr, at.pitch, extent.width, extent.height,
                                       at.ysize, extent.depth, value, stream, true});
}
