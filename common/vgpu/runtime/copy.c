/* copy.c - copies of linear and pitched memory, and copies to and from symbols.
 * Every pointer passes pointer_place() before a byte moves.
 * Arrays and three-dimensional copies are in copy3d.c, memsets in memset.c. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "memory/late.h"
#include "report/names.h"
#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/clock.h"
#include "runtime/follow.h"
#include "runtime/host_calls.h"
#include "runtime/image.h"
#include "runtime/pointer.h"
#include "runtime/watch.h"

/* What a copy really does, for the clock: the kind by where its pointers lie. */
static enum cudaMemcpyKind kind_of(const void *destination, const void *source)
{
    if (pointer_is_on_device(destination))
        return pointer_is_on_device(source) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return pointer_is_on_device(source) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

/* What was never written stays so when it is copied within the device: the reader of the copy is told. */
static void carry_written(const void *destination, const void *source, uint64_t size)
{
    const struct allocation *from = memory_find(runtime_memory(), address_of(source));
    uint64_t first, end = size;
    if (!from || !from->valid || memory_is_written(from, address_of(source), size, &first)) {
        pointer_written(destination, size);
        return;
    }
    for (uint64_t i = 0; i < end; i++) {
        uint64_t bit = address_of(source) - from->base + i;
        if (memory_is_byte_written(from, bit))
            pointer_written((const char *)destination + i, 1);
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
    struct memory *memory = runtime_memory();
    const struct late_copy late = {address_of(copy->destination),
                                   address_of(copy->source),
                                   copy->destination_pitch,
                                   copy->source_pitch,
                                   copy->width,
                                   copy->height};
    const bool is_late = late_copy(memory, &late);
    if (!is_late) {
        late_bring_at(memory, late.to, span(copy->destination_pitch, copy));
        late_bring_at(memory, late.from, span(copy->source_pitch, copy));
    }
    for (uint64_t row = 0; row < copy->height; row++) {
        if (!is_late)
            memmove(destination + row * copy->destination_pitch, source + row * copy->source_pitch,
                    copy->width);
        carry_written((const char *)copy->destination + row * copy->destination_pitch,
                      (const char *)copy->source + row * copy->source_pitch, copy->width);
    }
}

static cudaError_t resolve(const struct copy *copy, uint8_t **destination, const uint8_t **source)
{
    enum side to, from;
    cudaError_t error = cudaSuccess;
    if (!pointer_sides(copy->kind, &to, &from))
        return runtime_error(cudaErrorInvalidMemcpyDirection);
    if (has_overflow(copy))
        return runtime_error(cudaErrorInvalidValue);
    *destination = pointer_place(copy->call, "destination", copy->destination,
                                 span(copy->destination_pitch, copy), to, true, &error);
    if (error)
        return error;
    *source = pointer_place(copy->call, "source", copy->source, span(copy->source_pitch, copy), from, false,
                            &error);
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
    const bool is_pinned = pointer_is_pinned(host);
    const struct order_rows to =
                                {copy->destination, copy->destination_pitch, 0, copy->width, copy->height, 1},
                            from = {copy->source, copy->source_pitch, 0, copy->width, copy->height, 1};
    clock_copy(copy->stream, kind, copy->width * copy->height, copy->height, is_pinned ? NULL : host,
               copy->is_async);
    order_copy(copy->call, copy->stream, &to, &from, kind, is_pinned, copy->is_async);
    follow_copy(copy->destination, copy->source, copy->height == 1 ? copy->width : UINT32_MAX);
}

static void tell(const struct copy *copy)
{
    if (watch_wants_operations())
        watch_operation(&(struct vgpu_operation){.kind = VGPU_COPY,
                                                 .call = copy->call,
                                                 .stream = watch_stream(copy->stream),
                                                 .is_sync = !copy->is_async,
                                                 .to = copy->destination,
                                                 .from = copy->source,
                                                 .to_pitch = copy->destination_pitch,
                                                 .from_pitch = copy->source_pitch,
                                                 .width = copy->width,
                                                 .height = copy->height,
                                                 .is_to_device = pointer_is_on_device(copy->destination),
                                                 .is_from_device = pointer_is_on_device(copy->source)});
}

static cudaError_t perform(const struct copy *copy)
{
    uint8_t *destination = NULL;
    const uint8_t *source = NULL;
    host_calls_wait(copy->stream);
    cudaError_t error = copy->is_async ? runtime_begin() : runtime_begin_sync();
    if (error)
        return error;
    if (!stream_is_known(copy->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    error = captures_use(copy->stream, copy->call);
    if (error)
        return error;
    if (copy->width && copy->height > 1 &&
        (copy->width > copy->destination_pitch || copy->width > copy->source_pitch))
        return runtime_complain(cudaErrorInvalidPitchValue, VGPU_COPY_PITCH,
                                "%s copies rows of %llu bytes, but the pitch of its %s is %llu bytes",
                                copy->call, (unsigned long long)copy->width,
                                copy->width > copy->destination_pitch ? "destination" : "source",
                                (unsigned long long)smaller_of(copy->destination_pitch, copy->source_pitch));
    if (!copy->width || !copy->height)
        return cudaSuccess;
    error = resolve(copy, &destination, &source);
    if (error)
        return error;
    if (!destination || !source)
        return runtime_error(cudaErrorInvalidValue);
    if (capture_is_active(copy->stream)) {
        tell(copy);
        return copy->is_async ? capture(copy) : capture_refuse(copy->stream, copy->call);
    }
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

/* An offset that could be a direction is taken for one where the copy would fit without it. */
static cudaError_t complain_symbol_bounds(const char *call, size_t size, size_t offset, const char *name,
                                          uint64_t room)
{
    static const char *const directions[] = {[cudaMemcpyHostToDevice] = "cudaMemcpyHostToDevice",
                                             [cudaMemcpyDeviceToHost] = "cudaMemcpyDeviceToHost",
                                             [cudaMemcpyDeviceToDevice] = "cudaMemcpyDeviceToDevice",
                                             [cudaMemcpyDefault] = "cudaMemcpyDefault"};
    char what[300], cause[200] = "", variable[100];
    snprintf(what, sizeof what, "%s of %zu bytes at offset %zu of `%s`, which has %llu bytes", call, size,
             offset, name, (unsigned long long)room);
    name_short(name, variable, sizeof variable);
    if (offset >= 1 && offset <= cudaMemcpyDefault && size <= room)
        snprintf(cause, sizeof cause,
                 "the fourth argument is the offset, the direction is the fifth: sizeof %s, 0, %s", variable,
                 directions[offset]);
    return runtime_complain_because(cudaErrorInvalidValue, VGPU_COPY_SYMBOL_BOUNDS, *cause ? cause : NULL,
                                    what);
}

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
        *error = complain_symbol_bounds(call, size, offset, name, room);
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
