/* buffers.c - see buffers.h. Large inputs have no copy on the host while kernels run: they are made again, a piece at a time. */
#include "lab/buffers.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "lab/device.h"
#include "vgpu/vgpu.h"

/* Defined where the virtual GPU is linked; the last one, where a GPU may be. */
#pragma weak vgpu_fill_late
#pragma weak vgpu_fill_host_late
#pragma weak vgpu_end_late
#pragma weak vgpu_forget_writes
#pragma weak vgpu_gpu
#pragma weak vgpu_name_memory
#pragma weak vgpu_set_garbage
#pragma weak lab_device_fill

enum { LARGE = 1 << 26, PIECE = 1 << 22 };

bool buffers_are_virtual(void)
{
    return vgpu_gpu != NULL;
}

/* ------------------------------------------------------------------------------------------- allocating */

static const char *allocate(struct lab_buffer *buffer)
{
    if (buffer->is_host) {
        buffer->device = calloc(1, lab_buffer_bytes(buffer) + 1);
        return buffer->device ? NULL : "out of memory";
    }
    const bool is_virtual = buffers_are_virtual(), is_filled = buffer->role != LAB_SCRATCH;
    const uint64_t garbage = is_virtual && is_filled ? vgpu_set_garbage(0) : 0;
    const cudaError_t error = cudaMalloc(&buffer->device, lab_buffer_bytes(buffer));
    if (is_virtual && is_filled)
        vgpu_set_garbage(garbage);
    if (error == cudaSuccess && is_virtual)
        vgpu_name_memory(buffer->device, buffer->name);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

const char *buffers_open(struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++)
        problem = allocate(&run->buffers[i]);
    if (problem)
        buffers_close(run);
    return problem;
}

void buffers_drop(struct lab_run *run, int index)
{
    struct lab_buffer *buffer = &run->buffers[index];
    if (buffer->is_host && buffers_are_virtual())
        vgpu_end_late(buffer->device);
    buffer->is_host ? free(buffer->device) : (void)cudaFree(buffer->device);
    buffer->device = NULL;
}

void buffers_close(struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++) {
        buffers_drop(run, i);
        free(run->buffers[i].host);
        run->buffers[i].host = NULL;
    }
}

/* Only where all of it is going to be used. */
static bool make_host(struct lab_buffer *buffer)
{
    const size_t bytes = lab_buffer_bytes(buffer);
    if (!buffer->host && (buffer->host = malloc(bytes + 1)))
        pages_expect_all(buffer->host, bytes);
    return buffer->host;
}

/* ------------------------------------------------------------------------------------------- filling */

/* Does something with each piece of a buffer as it was given, until that is false. */
typedef bool piece_fn(const struct lab_run *run, int index, size_t offset, const void *given, size_t bytes);

static bool each_piece(const struct lab_run *run, int index, piece_fn *visit)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer), size = lab_type_bytes(buffer->type);
    uint8_t *piece = buffer->host ? NULL : malloc(PIECE);
    bool goes_on = buffer->host || piece;
    for (size_t at = 0; goes_on && at < bytes; at += PIECE) {
        const size_t count = bytes - at < PIECE ? bytes - at : PIECE;
        if (piece)
            lab_fill_part(run, index, at / size, count / size, piece);
        goes_on = visit(run, index, at, piece ? piece : (const uint8_t *)buffer->host + at, count);
    }
    free(piece);
    return goes_on;
}

static bool put_piece(const struct lab_run *run, int index, size_t offset, const void *given, size_t bytes)
{
    return cudaMemcpy((uint8_t *)run->buffers[index].device + offset, given, bytes, cudaMemcpyDefault) ==
           cudaSuccess;
}

/* The same bytes either way; a GPU makes them faster than this machine does. */
static const char *fill(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    if (buffer->is_host || buffers_are_virtual()) {
        if (buffer->host)
            lab_fill(run, index, buffer->host);
        return each_piece(run, index, put_piece) ? NULL : "inputs cannot be copied";
    }
    const char *problem = lab_device_fill(run, index, buffer->device);
    if (!problem &&
        cudaMemcpy(buffer->host, buffer->device, lab_buffer_bytes(buffer), cudaMemcpyDeviceToHost))
        problem = "inputs cannot be copied";
    return problem;
}

static bool has_host_copy(const struct lab_buffer *buffer)
{
    return buffer->role != LAB_IN || !buffers_are_virtual() || lab_buffer_bytes(buffer) <= LARGE;
}

const char *buffers_fill(struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++) {
        struct lab_buffer *buffer = &run->buffers[i];
        if (has_host_copy(buffer) && !make_host(buffer))
            return "out of memory";
        if (buffer->role != LAB_SCRATCH || !buffers_are_virtual())
            problem = fill(run, i);
        if (buffer->role != LAB_IN && !buffer->is_host && buffers_are_virtual())
            vgpu_forget_writes(buffer->device);
    }
    return problem;
}

const char *buffers_fill_device(const struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++)
        if (run->buffers[i].role != LAB_SCRATCH)
            problem = fill(run, i);
    return problem;
}

/* Bytes of a buffer are asked for by whole elements. */
static void fill_when_used(void *context, int index, uint64_t offset, uint64_t bytes, void *out)
{
    const struct lab_run *run = context;
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t size = lab_type_bytes(buffer->type);
    if (run->lab->is_chained && buffer->role != LAB_IN && !buffer->is_host)
        memset(out, LAB_POISON, bytes);
    else
        lab_fill_part(run, index, offset / size, bytes / size, out);
}

static bool fill_late(struct lab_run *run, int index)
{
    struct lab_buffer *buffer = &run->buffers[index];
    return buffer->is_host
               ? vgpu_fill_host_late(buffer->device, lab_buffer_bytes(buffer), fill_when_used, run, index)
               : vgpu_fill_late(buffer->device, fill_when_used, run, index);
}

const char *buffers_fill_late(struct lab_run *run, bool is_played)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++) {
        const struct lab_buffer *buffer = &run->buffers[i];
        if (buffer->role == LAB_SCRATCH && (buffer->is_host || !run->lab->is_chained))
            continue;
        if (buffer->is_host && (!is_played || buffer->is_said))
            problem = fill(run, i);
        else if (!fill_late(run, i))
            problem = "out of memory";
    }
    return problem;
}

const char *buffers_fill_scratch(struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++)
        if (run->buffers[i].role == LAB_SCRATCH)
            problem = fill(run, i);
    return problem;
}

/* ------------------------------------------------------------------------------------------- afterwards */

const char *buffers_fetch(struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer);
    if (buffer->is_host) { /* also where the device is lost */
        memcpy(buffer->host, buffer->device, bytes);
        return NULL;
    }
    const cudaError_t error = cudaMemcpy(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static bool is_piece_same(const struct lab_run *run, int index, size_t offset, const void *given,
                          size_t bytes)
{
    uint8_t *found = malloc(bytes);
    const bool is_same = found &&
                         cudaMemcpy(found, (const uint8_t *)run->buffers[index].device + offset, bytes,
                                    cudaMemcpyDefault) == cudaSuccess &&
                         memcmp(given, found, bytes) == 0;
    free(found);
    return is_same;
}

bool buffers_is_unchanged(const struct lab_run *run, int index)
{
    return each_piece(run, index, is_piece_same);
}

const char *buffers_make_host(struct lab_run *run, int index)
{
    struct lab_buffer *buffer = &run->buffers[index];
    if (buffer->host)
        return NULL;
    if (!make_host(buffer))
        return "out of memory";
    lab_fill(run, index, buffer->host);
    return NULL;
}
