/* sample.c - see sample.h. Decides nothing: what is wrong in a sample is for the caller to tell, or to look at as a whole. */
#include "lab/sample.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "lab/element.h"
#include "vgpu/vgpu.h"

/* A program for a GPU has none of these, and does not come here. */
#pragma weak vgpu_each_touched
#pragma weak vgpu_words_used

/* ------------------------------------------------------------------------------------------- what was touched */

static void keep_run(void *context, uint64_t offset, uint64_t bytes)
{
    struct touched *touched = context;
    struct touched_run *more =
        list_reserve(touched->runs, &touched->capacity, touched->count + 1, sizeof *more);
    if (!more)
        return;
    touched->runs = more;
    touched->runs[touched->count++] = (struct touched_run){offset, bytes};
}

void touched_collect(const struct lab_run *run, struct touched *out)
{
    touched_free(out);
    for (int i = 0; i < run->nbuffers; i++)
        vgpu_each_touched((uint64_t)(uintptr_t)run->buffers[i].device, keep_run, &out[i]);
}

void touched_free(struct touched *list)
{
    for (int i = 0; i < LAB_BUFFERS; i++) {
        free(list[i].runs);
        list[i] = (struct touched){NULL, 0, 0};
    }
}

/* Both in order: each run of a lies in a run of b. */
static bool is_within(const struct touched *a, const struct touched *b)
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

bool touched_is_within(const struct lab_run *run, const struct touched *now, const struct touched *known)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role != LAB_SCRATCH && !is_within(&now[i], &known[i]))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------- filling in */

static bool put(const struct lab_run *run, int index, const struct touched_run *part, uint8_t *host)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t size = lab_type_bytes(buffer->type);
    if (buffer->role == LAB_IN)
        lab_fill_part(run, index, part->offset / size, part->bytes / size, host);
    else
        memset(host, LAB_POISON, part->bytes);
    return cudaMemcpy((uint8_t *)buffer->device + part->offset, host, part->bytes, cudaMemcpyDefault) ==
           cudaSuccess;
}

static bool fill_buffer(const struct lab_run *run, int index, const struct touched *known)
{
    bool is_done = true;
    for (size_t k = 0; is_done && k < known->count; k++) {
        uint8_t *host = malloc(known->runs[k].bytes + 1);
        is_done = host && put(run, index, &known->runs[k], host);
        free(host);
    }
    return is_done;
}

enum { MOST_WHOLE = 1 << 24 }; /* bytes */

static bool is_whole(const struct lab_buffer *buffer, int pass)
{
    return pass >= TOUCHED_WHOLE && buffer->role == LAB_IN && lab_buffer_bytes(buffer) <= MOST_WHOLE;
}

bool touched_fill(const struct lab_run *run, const struct touched *known, int pass)
{
    bool is_done = true;
    for (int i = 0; is_done && i < run->nbuffers; i++) {
        struct touched_run all = {0, lab_buffer_bytes(&run->buffers[i])};
        const struct touched whole = {&all, 1, 1};
        if (is_whole(&run->buffers[i], pass))
            is_done = fill_buffer(run, i, &whole);
        else if (known && run->buffers[i].role != LAB_SCRATCH)
            is_done = fill_buffer(run, i, &known[i]);
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- comparing */

static bool is_used(const uint64_t *words, uint64_t offset)
{
    return !words || (words[offset / 4 / 64] >> offset / 4 % 64 & 1);
}

/* Element i, if it is wrong, in words. */
static void compare_element(const struct lab_run *run, int index, size_t i, uint64_t got, char *wrong,
                            size_t size)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    char place[80];
    double want;
    const bool is_wanted = lab_element(run)(run, index, i, &want);
    if (is_wanted && element_matches(buffer->type, buffer->relative, buffer->absolute, got,
                                     element_bits(buffer->type, want)))
        return;
    lab_coordinates(buffer, i, place, sizeof place);
    if (!is_wanted)
        snprintf(wrong, size, "%s%s is written, and must not be", buffer->name, place);
    else if (element_is_poison(buffer->type, got))
        snprintf(wrong, size, "%s%s was never written, should be %.6g", buffer->name, place, want);
    else
        snprintf(wrong, size, "%s%s is %.6g, should be %.6g", buffer->name, place,
                 element_value(buffer->type, got), want);
}

/* Words that no block of the sample used are left to others. */
static void compare_run(const struct lab_run *run, int index, const struct touched_run *part,
                        const uint8_t *host, char *wrong, size_t size)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const uint64_t *words = vgpu_words_used((uint64_t)(uintptr_t)buffer->device);
    const size_t each = lab_type_bytes(buffer->type), first = part->offset / each, count = part->bytes / each;
    for (size_t i = 0; i < count && !*wrong; i++)
        if (is_used(words, part->offset + i * each))
            compare_element(run, index, first + i, element_load(buffer->type, host, i), wrong, size);
}

static bool compare_output(const struct lab_run *run, int index, const struct touched *touched, char *wrong,
                           size_t size)
{
    bool is_done = true;
    for (size_t k = 0; is_done && k < touched->count && !*wrong; k++) {
        const struct touched_run *part = &touched->runs[k];
        uint8_t *host = malloc(part->bytes + 1);
        is_done = host && cudaMemcpy(host, (uint8_t *)run->buffers[index].device + part->offset, part->bytes,
                                     cudaMemcpyDefault) == cudaSuccess;
        if (is_done)
            compare_run(run, index, part, host, wrong, size);
        free(host);
    }
    return is_done;
}

bool touched_compare(const struct lab_run *run, const struct touched *touched, char *wrong, size_t size)
{
    bool is_done = true;
    wrong[0] = 0;
    for (int i = 0; is_done && lab_element(run) && i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT)
            is_done = compare_output(run, i, &touched[i], wrong, size);
    return is_done;
}
