/* sample.c - see sample.h. Decides nothing: what is wrong in a sample is for the caller to tell, or to look at as a whole. */
#include "lab/sample.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "lab/element.h"
#include "vgpu/vgpu.h"

/* A program for a GPU has none of these, and does not come here. */
#pragma weak vgpu_each_touched
#pragma weak vgpu_words_stored

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

enum { STRETCH = 4096, STRETCHES = 256 };

void touched_spread(const struct lab_run *run, struct touched *out)
{
    touched_free(out);
    for (int i = 0; i < run->nbuffers; i++) {
        const uint64_t bytes = lab_buffer_bytes(&run->buffers[i]);
        const uint64_t length = bytes < STRETCH ? bytes : STRETCH,
                       each = lab_type_bytes(run->buffers[i].type);
        for (uint64_t k = 0; run->buffers[i].role == LAB_OUT && k < STRETCHES; k++)
            keep_run(&out[i], (bytes - length) * k / (STRETCHES - 1) / each * each, length);
    }
}

/* ------------------------------------------------------------------------------------------- comparing */

static bool is_stored(const uint64_t *words, uint64_t offset)
{
    return words[offset / 4 / 64] >> offset / 4 % 64 & 1;
}

void touched_compare_element(const struct lab_run *run, int index, size_t i, uint64_t got, char *wrong,
                             size_t size)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    char place[80];
    double want;
    const bool is_wanted = lab_element(run)(run, index, i, &want);
    if (is_wanted && element_matches(buffer->type, buffer->relative, buffer->absolute, got,
                                     element_bits(buffer->type, want)))
        return;
    const bool is_left = element_is_poison(buffer->type, got) || lab_is_left(run, index, i, got);
    if (!is_wanted && is_left)
        return;
    lab_coordinates(buffer, i, place, sizeof place);
    if (buffer->sheet)
        snprintf(wrong, size, "not all answers are right");
    else if (!is_wanted)
        snprintf(wrong, size, "%s%s is written, and must not be", buffer->name, place);
    else if (is_left)
        snprintf(wrong, size, "%s%s was never written, should be %.6g", buffer->name, place, want);
    else
        snprintf(wrong, size, "%s%s is %.6g, should be %.6g", buffer->name, place,
                 element_value(buffer->type, got), want);
}

/* True if blocks that are not in the sample may have the blame: an earlier launch should have written what this came from. */
static bool is_left_to_others(const struct lab_run *run, enum lab_type type, uint64_t got)
{
    return run->lab->is_chained && !run->is_one_launch && isnan(element_value(type, got));
}

/* Words that no block of the sample stored are left to others; none is where all blocks were executed. Returns how many elements
 * were not; *stored: with those that are no numbers. */
static size_t compare_run(const struct lab_run *run, int index, const struct touched_run *part,
                          const uint8_t *host, size_t *stored, char *wrong, size_t size)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const uint64_t *words = vgpu_words_stored((uint64_t)(uintptr_t)buffer->device);
    const size_t each = lab_type_bytes(buffer->type), first = part->offset / each, count = part->bytes / each;
    size_t compared = 0;
    *stored = 0;
    for (size_t i = 0; i < count && !*wrong; i++) {
        const uint64_t got = element_load(buffer->type, host, i);
        if (words && !is_stored(words, part->offset + i * each))
            continue;
        ++*stored;
        if (words && is_left_to_others(run, buffer->type, got))
            continue;
        touched_compare_element(run, index, first + i, got, wrong, size);
        compared++;
    }
    return compared;
}

/* Not everything can come from blocks that are not in the sample, since its blocks are neighbours; and what one block of it finds
 * of its own the others find as well. So among the stretches that blocks have written, enough must hold numbers: whoever reads
 * at another place than his own there gets none. */
static void doubt_numbers(const struct lab_buffer *buffer, size_t stretches, size_t with_numbers, char *wrong,
                          size_t size)
{
    const double enough = 0.5;
    if (!with_numbers)
        snprintf(wrong, size, "nothing that its blocks write to %s is a number", buffer->name);
    else if ((double)with_numbers < enough * (double)stretches)
        snprintf(wrong, size, "little of what its blocks write to %s is a number", buffer->name);
}

static bool compare_output(const struct lab_run *run, int index, const struct touched *touched, char *wrong,
                           size_t size)
{
    bool is_done = true;
    size_t with_numbers = 0, with_any = 0, stored = 0;
    for (size_t k = 0; is_done && k < touched->count && !*wrong; k++) {
        const struct touched_run *part = &touched->runs[k];
        uint8_t *host = malloc(part->bytes + 1);
        is_done = host && cudaMemcpy(host, (uint8_t *)run->buffers[index].device + part->offset, part->bytes,
                                     cudaMemcpyDefault) == cudaSuccess;
        if (is_done)
            with_numbers += compare_run(run, index, part, host, &stored, wrong, size) > 0;
        with_any += stored > 0;
        free(host);
    }
    const bool is_sample = vgpu_words_stored((uint64_t)(uintptr_t)run->buffers[index].device) != NULL;
    if (is_done && is_sample && run->lab->is_chained && !*wrong)
        doubt_numbers(&run->buffers[index], with_any, with_numbers, wrong, size);
    return is_done;
}

bool touched_compare(const struct lab_run *run, const struct touched *touched, char *wrong, size_t size)
{
    bool is_done = true;
    wrong[0] = 0;
    for (int i = 0; is_done && lab_element(run) && i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT && !run->buffers[i].is_host)
            is_done = compare_output(run, i, &touched[i], wrong, size);
    return is_done;
}
