/* copy3d.c - copies in boxes: cudaMemcpy3D and every copy to, from and between arrays.
 * Each call describes its two ends, and one function copies row by row between any two.
 * Copies that know no array and no depth are in copy.c. */
#include <string.h>

#include "runtime/array.h"
#include "runtime/capture.h"
#include "runtime/captures.h"
#include "runtime/follow.h"
#include "runtime/pointer.h"
#include "runtime/watch.h"

/* One end of a copy: a pitched pointer or an array, the corner of the box in it. */
struct end {
    struct cudaArray *array; /* NULL: a pointer */
    const void *pointer;     /* of the first row's first byte */
    uint64_t pitch, slice;
    uint64_t x, y, z; /* arrays: bytes, rows, slices */
    uint8_t *bytes;   /* filled in by open_end(): the box's first byte */
};

struct box {
    uint64_t width, height, depth; /* bytes, rows, slices */
};

struct copy {
    const char *call;
    struct end to, from;
    struct box box;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool is_async;
};

static cudaError_t open_array(struct end *end, const struct box *box)
{
    const struct texture_image *image = &end->array->image;
    const uint64_t row = (uint64_t)image->width * texel_bytes(image->format);
    const uint64_t slices = image->layers > image->depth ? image->layers : image->depth;
    if (end->x > row || box->width > row - end->x || end->y > image->height ||
        box->height > image->height - end->y || end->z > slices || box->depth > slices - end->z)
        return cudaErrorInvalidValue;
    if (memory_find(runtime_memory(), image->address) != end->array->allocation)
        return cudaErrorInvalidResourceHandle;
    end->pitch = image->pitch;
    end->slice = image->slice;
    end->bytes =
        end->array->allocation->host + image_offset(image, end->x, (uint32_t)end->y, (uint32_t)end->z);
    return cudaSuccess;
}

static cudaError_t open_pointer(const struct copy *copy, struct end *end, enum side side, bool is_write)
{
    const struct box *box = &copy->box;
    cudaError_t error = cudaSuccess;
    if (box->height > 1 && end->pitch < box->width)
        return runtime_complain(cudaErrorInvalidPitchValue, VGPU_COPY_PITCH,
                                "%s copies rows of %llu bytes, but the pitch of its %s is %llu bytes",
                                copy->call, (unsigned long long)box->width,
                                is_write ? "destination" : "source", (unsigned long long)end->pitch);
    if (box->depth > 1 && end->slice < end->pitch * (box->height - 1) + box->width)
        return cudaErrorInvalidValue;
    const uint64_t span = (box->depth - 1) * end->slice + (box->height - 1) * end->pitch + box->width;
    end->bytes = pointer_bytes(copy->call, is_write ? "destination" : "source", end->pointer, span, side,
                               is_write, &error);
    return end->bytes ? cudaSuccess : error ? error : cudaErrorInvalidValue;
}

static cudaError_t open_end(const struct copy *copy, struct end *end, enum side side, bool is_write)
{
    if (!end->array)
        return open_pointer(copy, end, side, is_write);
    return side == SIDE_HOST ? cudaErrorInvalidMemcpyDirection : open_array(end, &copy->box);
}

static void copy_rows(const struct copy *copy)
{
    for (uint64_t z = 0; z < copy->box.depth; z++)
        for (uint64_t y = 0; y < copy->box.height; y++) {
            const uint64_t at = z * copy->to.slice + y * copy->to.pitch;
            memmove(copy->to.bytes + at, copy->from.bytes + z * copy->from.slice + y * copy->from.pitch,
                    copy->box.width);
            if (!copy->to.array)
                pointer_written((const uint8_t *)copy->to.pointer + at, copy->box.width);
        }
}

/* Kernels reach arrays through textures only, of which nobody notes what they use: arrays have no rows here. */
static struct order_rows rows_of(const struct end *end, const struct box *box)
{
    return (struct order_rows){
        end->array ? NULL : end->pointer, end->pitch, end->slice, box->width, box->height, box->depth};
}

/* For the clock: where the ends lie, and whether the host's one is pinned. */
static void spend_time(const struct copy *copy)
{
    const struct memory *memory = runtime_memory();
    const uint64_t to = (uintptr_t)copy->to.pointer, from = (uintptr_t)copy->from.pointer;
    const struct allocation *behind_to =
        copy->to.array ? copy->to.array->allocation : memory_find(memory, to);
    const struct allocation *behind_from =
        copy->from.array ? copy->from.array->allocation : memory_find(memory, from);
    const bool to_host = !behind_to || behind_to->kind == ALLOC_PINNED;
    const bool from_host = !behind_from || behind_from->kind == ALLOC_PINNED;
    const enum cudaMemcpyKind kind = to_host     ? from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost
                                     : from_host ? cudaMemcpyHostToDevice
                                                 : cudaMemcpyDeviceToDevice;
    const bool is_pinned = behind_to && behind_from;
    const uint64_t rows = copy->box.height * copy->box.depth;
    const struct order_rows written = rows_of(&copy->to, &copy->box), read = rows_of(&copy->from, &copy->box);
    clock_copy(copy->stream, kind, copy->box.width * rows, rows,
               is_pinned ? NULL
               : to_host ? copy->to.pointer
                         : copy->from.pointer,
               copy->is_async);
    order_copy(copy->call, copy->stream, &written, &read, kind, is_pinned, copy->is_async);
    follow_copy(copy->to.array ? NULL : copy->to.pointer, copy->from.array ? NULL : copy->from.pointer,
                UINT32_MAX);
}

/* A copy in the terms of cudaMemcpy3D, for graphs. */
static struct cudaMemcpy3DParms parameters_of(const struct copy *copy)
{
    struct cudaMemcpy3DParms p = {.kind = copy->kind,
                                  .extent = {copy->box.width, copy->box.height, copy->box.depth}};
    const struct cudaArray *array = copy->to.array ? copy->to.array : copy->from.array;
    const size_t bytes = array ? texel_bytes(array->image.format) : 1;
    p.extent.width /= bytes;
    if (copy->to.array) {
        p.dstArray = copy->to.array;
        p.dstPos = (struct cudaPos){copy->to.x / bytes, copy->to.y, copy->to.z};
    } else {
        const size_t rows = copy->to.pitch ? copy->to.slice / copy->to.pitch : 1;
        p.dstPtr = (struct cudaPitchedPtr){(void *)(uintptr_t)copy->to.pointer, copy->to.pitch,
                                           copy->to.pitch, rows};
    }
    if (copy->from.array) {
        p.srcArray = copy->from.array;
        p.srcPos = (struct cudaPos){copy->from.x / bytes, copy->from.y, copy->from.z};
    } else {
        const size_t rows = copy->from.pitch ? copy->from.slice / copy->from.pitch : 1;
        p.srcPtr = (struct cudaPitchedPtr){(void *)(uintptr_t)copy->from.pointer, copy->from.pitch,
                                           copy->from.pitch, rows};
    }
    return p;
}

static cudaError_t capture(const struct copy *copy)
{
    const struct cudaMemcpy3DParms parameters = parameters_of(copy);
    return capture_copy3d(copy->stream, &parameters);
}

/* A box of depth one, between memory and arrays that have numbers. */
static void tell(const struct copy *copy)
{
    const bool is_flat = copy->box.depth == 1 && (copy->to.array || copy->from.array);
    const bool is_numbered =
        (!copy->to.array || copy->to.array->number) && (!copy->from.array || copy->from.array->number);
    if (!is_flat || !is_numbered) {
        watch_other(copy->call);
        return;
    }
    watch_operation(&(struct vgpu_operation){
        .kind = VGPU_ARRAY_COPY,
        .call = copy->call,
        .stream = watch_stream(copy->stream),
        .to = copy->to.pointer,
        .from = copy->from.pointer,
        .to_pitch = copy->to.array ? 0 : copy->to.pitch,
        .from_pitch = copy->from.array ? 0 : copy->from.pitch,
        .width = copy->box.width,
        .height = copy->box.height,
        .is_to_device = copy->to.array || pointer_is_on_device(copy->to.pointer),
        .is_from_device = copy->from.array || pointer_is_on_device(copy->from.pointer),
        .to_array = copy->to.array ? copy->to.array->number : 0,
        .from_array = copy->from.array ? copy->from.array->number : 0,
        .to_x = copy->to.x,
        .to_y = copy->to.y,
        .from_x = copy->from.x,
        .from_y = copy->from.y});
}

static cudaError_t copy_run(struct copy *copy)
{
    enum side to, from;
    cudaError_t error = copy->is_async ? runtime_begin() : runtime_begin_sync();
    if (error)
        return error;
    if (!stream_is_known(copy->stream))
        return runtime_error(cudaErrorInvalidResourceHandle);
    error = captures_use(copy->stream, copy->call);
    if (error)
        return error;
    if (!pointer_sides(copy->kind, &to, &from))
        return runtime_error(cudaErrorInvalidMemcpyDirection);
    if (copy->is_async && capture_is_active(copy->stream)) {
        watch_other(copy->call);
        return capture(copy);
    }
    if (copy->box.width == 0 || copy->box.height == 0 || copy->box.depth == 0 || runtime_has_fault())
        return cudaSuccess;
    error = open_end(copy, &copy->to, to, true);
    if (!error)
        error = open_end(copy, &copy->from, from, false);
    if (!error && (!copy->to.bytes || !copy->from.bytes))
        error = cudaErrorInvalidValue;
    if (error)
        return runtime_error(error);
    tell(copy);
    copy_rows(copy);
    spend_time(copy);
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------------------- cudaMemcpy3D */

static cudaError_t end_of(struct end *end, cudaArray_t array, struct cudaPos pos,
                          struct cudaPitchedPtr pitched)
{
    memset(end, 0, sizeof *end);
    if ((array != NULL) == (pitched.ptr != NULL))
        return cudaErrorInvalidValue;
    if (!array) {
        end->pitch = pitched.pitch;
        end->slice = pitched.pitch * (pitched.ysize ? pitched.ysize : 1);
        end->pointer = (const uint8_t *)pitched.ptr + pos.z * end->slice + pos.y * end->pitch + pos.x;
        return cudaSuccess;
    }
    end->array = array_find(array);
    if (!end->array)
        return cudaErrorInvalidResourceHandle;
    end->x = pos.x * texel_bytes(end->array->image.format);
    end->y = pos.y;
    end->z = pos.z;
    return cudaSuccess;
}

/* The extent counts elements where an array takes part, else bytes. */
static cudaError_t scale_width(struct copy *copy)
{
    const uint32_t to = copy->to.array ? texel_bytes(copy->to.array->image.format) : 0;
    const uint32_t from = copy->from.array ? texel_bytes(copy->from.array->image.format) : 0;
    if (to && from && to != from)
        return cudaErrorInvalidValue;
    if (copy->box.width > UINT32_MAX && (to || from))
        return cudaErrorInvalidValue;
    copy->box.width *= to ? to : from ? from : 1;
    return cudaSuccess;
}

static cudaError_t copy_parameters(const char *call, const struct cudaMemcpy3DParms *p, cudaStream_t stream,
                                   bool is_async)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!p)
        return runtime_error(cudaErrorInvalidValue);
    struct copy copy = {.call = call,
                        .kind = p->kind,
                        .stream = stream,
                        .is_async = is_async,
                        .box = {p->extent.width, p->extent.height, p->extent.depth}};
    error = end_of(&copy.to, p->dstArray, p->dstPos, p->dstPtr);
    if (!error)
        error = end_of(&copy.from, p->srcArray, p->srcPos, p->srcPtr);
    if (!error)
        error = scale_width(&copy);
    return error ? runtime_error(error) : copy_run(&copy);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_parameters("cudaMemcpy3D", p, NULL, false);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_parameters("cudaMemcpy3DAsync", p, stream, true);
}

static cudaError_t copy_peer(const char *call, const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                             bool is_async)
{
    const cudaError_t error = runtime_begin();
    if (error)
        return error;
    if (!p)
        return runtime_error(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0)
        return runtime_error(cudaErrorInvalidDevice);
    const struct cudaMemcpy3DParms same = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                           p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy_parameters(call, &same, stream, is_async);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return copy_peer("cudaMemcpy3DPeer", p, NULL, false);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return copy_peer("cudaMemcpy3DPeerAsync", p, stream, true);
}

/* ------------------------------------------------------------------------------------------- copies of arrays */

static struct end array_end(struct cudaArray *array, size_t x, size_t y)
{
    return (struct end){.array = array, .x = x, .y = y};
}

static struct end pointer_end(const void *pointer, size_t pitch)
{
    return (struct end){.pointer = pointer, .pitch = pitch, .slice = pitch};
}

/* Starts a copy of which one end must be this array. */
static cudaError_t begin_array(cudaArray_const_t handle, struct cudaArray **array)
{
    const cudaError_t error = runtime_begin();
    *array = error ? NULL : array_find(handle);
    return error ? error : *array ? cudaSuccess : runtime_error(cudaErrorInvalidResourceHandle);
}

static cudaError_t to_array(const char *call, cudaArray_t dst, size_t x, size_t y, const void *src,
                            size_t pitch, struct box box, enum cudaMemcpyKind kind, cudaStream_t stream,
                            bool is_async)
{
    struct cudaArray *array;
    const cudaError_t error = begin_array(dst, &array);
    if (error)
        return error;
    struct copy copy = {call, array_end(array, x, y), pointer_end(src, pitch), box, kind, stream, is_async};
    return copy_run(&copy);
}

static cudaError_t from_array(const char *call, void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                              size_t y, struct box box, enum cudaMemcpyKind kind, cudaStream_t stream,
                              bool is_async)
{
    struct cudaArray *array;
    const cudaError_t error = begin_array(src, &array);
    if (error)
        return error;
    struct copy copy = {call, pointer_end(dst, pitch), array_end(array, x, y), box, kind, stream, is_async};
    return copy_run(&copy);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return to_array("cudaMemcpy2DToArray", dst, x, y, src, spitch, (struct box){width, height, 1}, kind, NULL,
                    false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return to_array("cudaMemcpy2DToArrayAsync", dst, x, y, src, spitch, (struct box){width, height, 1}, kind,
                    stream, true);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return from_array("cudaMemcpy2DFromArray", dst, dpitch, src, x, y, (struct box){width, height, 1}, kind,
                      NULL, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    return from_array("cudaMemcpy2DFromArrayAsync", dst, dpitch, src, x, y, (struct box){width, height, 1},
                      kind, stream, true);
}

static cudaError_t between_arrays(const char *call, cudaArray_t dst, size_t dst_x, size_t dst_y,
                                  cudaArray_const_t src, size_t src_x, size_t src_y, struct box box,
                                  enum cudaMemcpyKind kind)
{
    struct cudaArray *to, *from;
    cudaError_t error = begin_array(dst, &to);
    if (!error)
        error = begin_array(src, &from);
    if (error)
        return error;
    struct copy copy = {call, array_end(to, dst_x, dst_y), array_end(from, src_x, src_y), box, kind, NULL,
                        false};
    return copy_run(&copy);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
                                     size_t src_x, size_t src_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    return between_arrays("cudaMemcpy2DArrayToArray", dst, dst_x, dst_y, src, src_x, src_y,
                          (struct box){width, height, 1}, kind);
}

/* ------------------------------------------------------------------------------------------- counted copies */

/* A counted copy runs through an array row by row: a rest of the first row, whole rows, the beginning of the last. */
static size_t row_bytes(const struct cudaArray *array)
{
    return (size_t)array->image.width * texel_bytes(array->image.format);
}

static size_t next_piece(const struct cudaArray *array, size_t x, size_t count, struct box *box)
{
    const size_t row = row_bytes(array);
    if (x == 0 && count >= row) {
        *box = (struct box){row, count / row, 1};
        return row * (count / row);
    }
    const size_t width = x < row && count > row - x ? row - x : count;
    *box = (struct box){width, 1, 1};
    return width;
}

/* pointer moves on through memory, (x, y) through the array; is_to: into the array. */
static cudaError_t counted(const char *call, cudaArray_const_t handle, size_t x, size_t y,
                           const uint8_t *pointer, size_t count, enum cudaMemcpyKind kind,
                           cudaStream_t stream, bool is_async, bool is_to)
{
    struct cudaArray *array;
    cudaError_t error = begin_array(handle, &array);
    while (!error && count > 0) {
        struct box box;
        const size_t piece = next_piece(array, x, count, &box);
        const struct end memory = pointer_end(pointer, box.width), place = array_end(array, x, y);
        struct copy copy = {call,    is_to ? place : memory, is_to ? memory : place, box, kind, stream,
                            is_async};
        error = copy_run(&copy);
        x = 0;
        y += box.height;
        pointer += piece;
        count -= piece;
    }
    return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    return counted("cudaMemcpyToArray", dst, x, y, src, count, kind, NULL, false, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return counted("cudaMemcpyToArrayAsync", dst, x, y, src, count, kind, stream, true, true);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return counted("cudaMemcpyFromArray", src, x, y, dst, count, kind, NULL, false, false);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return counted("cudaMemcpyFromArrayAsync", src, x, y, dst, count, kind, stream, true, false);
}

/* Rows of both arrays break the copy into pieces. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
                                   size_t src_x, size_t src_y, size_t count, enum cudaMemcpyKind kind)
{
    struct cudaArray *to, *from;
    cudaError_t error = begin_array(dst, &to);
    if (!error)
        error = begin_array(src, &from);
    while (!error && count > 0) {
        struct box here, there;
        const size_t first = next_piece(to, dst_x, count, &here),
                     second = next_piece(from, src_x, count, &there);
        const size_t widest = here.width < there.width ? here.width : there.width;
        const size_t piece =
            first < second ? (first < widest ? first : widest) : (second < widest ? second : widest);
        error = between_arrays("cudaMemcpyArrayToArray", dst, dst_x, dst_y, src, src_x, src_y,
                               (struct box){piece, 1, 1}, kind);
        count -= piece;
        dst_x += piece;
        src_x += piece;
        if (dst_x >= row_bytes(to))
            dst_x = 0, dst_y++;
        if (src_x >= row_bytes(from))
            src_x = 0, src_y++;
    }
    return error;
}
