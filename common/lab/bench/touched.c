/* touched.c - see touched.h. */
#include "lab/bench/touched.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/vgpu.h"

#pragma weak vgpu_each_touched

static void keep_run(void *context, uint64_t offset, uint64_t bytes)
{
    struct touched *touched = context;
    if (touched->count == touched->capacity) {
        const size_t capacity = 2 * touched->capacity + 64;
        struct touched_run *more = realloc(touched->runs, capacity * sizeof *more);
        if (!more)
            return;
        touched->runs = more;
        touched->capacity = capacity;
    }
    touched->runs[touched->count++] = (struct touched_run){offset, bytes};
}

void touched_collect(const struct lab_buffer *buffer, struct touched *out)
{
    vgpu_each_touched((uint64_t)(uintptr_t)buffer->device, keep_run, out);
}

bool touched_is_within(const struct touched *a, const struct touched *b)
{
    size_t k = 0;
    for (size_t i = 0; i < a->count; i++) {
        const uint64_t end = a->runs[i].offset + a->runs[i].bytes;
        while (k < b->count && b->runs[k].offset + b->runs[k].bytes < end)
            k++;
        if (k == b->count || b->runs[k].offset > a->runs[i].offset)
            return false;
    }
    return true;
}

static bool fill_run(const struct lab_run *run, int index, const struct touched_run *part, uint8_t *host)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t size = lab_type_bytes(buffer->type);
    if (buffer->role == LAB_IN)
        lab_fill_part(run, index, part->offset / size, part->bytes / size, host);
    else
        memset(host, LAB_POISON, part->bytes);
    return cudaMemcpy((uint8_t *)buffer->device + part->offset, host, part->bytes, cudaMemcpyHostToDevice) ==
           cudaSuccess;
}

bool touched_fill(const struct lab_run *run, int index, const struct touched *touched)
{
    bool is_done = true;
    for (size_t i = 0; is_done && run->buffers[index].role != LAB_SCRATCH && i < touched->count; i++) {
        uint8_t *host = malloc(touched->runs[i].bytes + 1);
        is_done = host && fill_run(run, index, &touched->runs[i], host);
        free(host);
    }
    return is_done;
}

void touched_move(struct touched *a, struct touched *b)
{
    free(a->runs);
    *a = *b;
    *b = (struct touched){NULL, 0, 0};
}
