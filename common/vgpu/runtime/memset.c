/* memset.c - memsets of one to three dimensions.
 * A memset does not wait for the device, whatever its call is. */
#include <stdio.h>
#include <string.h>

#include "report/names.h"
#include "report/report.h"
#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/host_calls.h"
#include "runtime/pointer.h"
#include "runtime/watch.h"

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
            pointer_written((const char *)fill->pointer + offset, fill->width);
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

/* What a kernel has read there, nobody had written. */
static void tell_if_late(const struct fill *fill)
{
    char place[300] = "", what[400];
    void *frames[ALLOC_FRAMES];
    struct allocation *allocation = memory_find(runtime_memory(), address_of(fill->pointer));
    if (!allocation || !allocation->unset_reader[0])
        return;
    const char *array = allocation->called ? allocation->called : "";
    order_frames(frames);
    host_line(frames, ALLOC_FRAMES, place, sizeof place);
    snprintf(what, sizeof what,
             "a kernel has read this memory at %s before anybody wrote it; %s() sets it only now",
             allocation->unset_reader, fill->call);
    report_pair(&(struct report_pair){VGPU_SET_TOO_LATE, place, allocation->unset_reader, array, what, NULL});
    allocation->unset_reader[0] = '\0';
}

static cudaError_t perform_fill(const struct fill *fill)
{
    host_calls_wait(fill->stream);
    cudaError_t error = runtime_begin(); /* a memset does not wait for the device */
    if (error)
        return error;
    if (!stream_is_known(fill->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    error = captures_use(fill->stream, fill->call);
    if (error)
        return error;
    if (!fill->width || !fill->height || !fill->depth)
        return cudaSuccess;
    if ((fill->height > 1 || fill->depth > 1) && fill->width > fill->pitch)
        return runtime_error(cudaErrorInvalidValue);
    uint64_t rows = (fill->depth - 1) * fill->depth_rows + fill->height - 1, bytes;
    if (__builtin_mul_overflow(rows, fill->pitch, &bytes) ||
        __builtin_add_overflow(bytes, fill->width, &bytes))
        return runtime_error(cudaErrorInvalidValue);
    uint8_t *target =
        pointer_bytes(fill->call, "destination", fill->pointer, bytes, SIDE_DEVICE, true, &error);
    if (!target)
        return error;
    if (capture_is_active(fill->stream)) {
        tell_fill(fill);
        return capture_fill(fill);
    }
    if (runtime_has_fault())
        return cudaSuccess;
    tell_fill(fill);
    runtime_lock();
    tell_if_late(fill);
    fill_rows(fill, target);
    runtime_unlock();
    clock_memset(fill->stream, fill->width * fill->height * fill->depth);
    order_set(fill->call, fill->stream,
              &(struct order_rows){fill->pointer, fill->pitch, fill->pitch * fill->depth_rows, fill->width,
                                   fill->height, fill->depth});
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
