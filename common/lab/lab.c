/* lab.c - finding things in a lab's tables, and declaring a run's buffers.
 * What a stage does not say for itself, its lab says. All of it is pure: nothing is allocated, printed or run. */
#include "lab/lab.h"

#include "lab/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- stages and points */

const struct lab_stage *lab_find_stage(const struct lab *lab, const char *id_or_row)
{
    char *end;
    for (int i = 0; i < lab->nstages; i++)
        if (!strcmp(lab->stages[i].id, id_or_row))
            return &lab->stages[i];
    long row = strtol(id_or_row, &end, 10);
    return end != id_or_row && !*end && row >= 1 && row <= lab->nstages ? &lab->stages[row - 1] : NULL;
}

const struct lab_stage *lab_previous(const struct lab *lab, const struct lab_stage *stage)
{
    if (stage->is_given || stage->is_first)
        return NULL;
    if (stage->previous)
        return lab_find_stage(lab, stage->previous);
    for (int i = 1; i < lab->nstages; i++) /* by its id: it may be a copy of the row */
        if (strcmp(lab->stages[i].id, stage->id) == 0)
            return &lab->stages[i - 1];
    return NULL;
}

/* names: "a100 h100"; NULL: none. */
static bool is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (names = names ? names : ""; *names; names += strspn(names, " ")) {
        const size_t own = strcspn(names, " ");
        if (own == length && own > 0 && !strncmp(names, name, length))
            return true;
        names += own;
    }
    return false;
}

bool lab_is_apart_on(const struct lab_stage *stage, const char *gpu)
{
    return is_named(stage->apart_on, gpu);
}

bool lab_contains(const struct lab *lab, const struct lab_stage *step, const struct lab_stage *stage)
{
    for (; step; step = lab_previous(lab, step))
        if (!strcmp(step->id, stage->id) || is_named(step->contains, stage->id))
            return true;
    return false;
}

int lab_stage_points(const struct lab_stage *stage)
{
    int points = stage->points.correct + stage->points.clean + stage->points.concept;
    for (int i = 0; i < LAB_TIERS; i++)
        points += stage->speed[i].points;
    return points;
}

int lab_max_points(const struct lab *lab)
{
    int points = 0;
    for (int i = 0; i < lab->nstages; i++)
        if (!lab->stages[i].is_bonus)
            points += lab_stage_points(&lab->stages[i]);
    return points;
}

/* All that such a row wants is answers: nothing of it is to be timed. */
static bool only_asks(const struct lab *lab, const struct lab_stage *stage)
{
    struct lab_run run;
    lab_begin_run(&run, lab, stage, lab_timed_case(lab, stage), 0);
    for (int i = 0; i < run.nbuffers; i++)
        if (run.buffers[i].role == LAB_OUT && !run.buffers[i].sheet)
            return false;
    return lab_has_sheet(&run);
}

const char *lab_baseline(const struct lab *lab, const struct lab_stage *stage)
{
    if (stage->baseline || !lab->baseline)
        return stage->baseline;
    return stage->layout && only_asks(lab, stage) ? NULL : lab->baseline;
}

const char *lab_answer(const struct lab *lab, const struct lab_stage *stage)
{
    return stage->answer ? stage->answer : lab_baseline(lab, stage);
}

const char *lab_unit(const struct lab *lab, const struct lab_stage *stage)
{
    return stage->unit ? stage->unit : lab->unit;
}

/* ------------------------------------------------------------------------------------------- cases */

bool lab_case_applies(const struct lab_case *which, const struct lab_stage *stage)
{
    return !which->stage || !strcmp(which->stage, stage->id);
}

const struct lab_case *lab_timed_case(const struct lab *lab, const struct lab_stage *stage)
{
    return stage->timed.size[0] ? &stage->timed : &lab->timed;
}

static bool is_none(const struct lab_case *which)
{
    for (int i = 0; i < LAB_SIZES; i++)
        if (which->size[i])
            return false;
    return true;
}

static const struct lab_case *middle_of(const struct lab *lab, const struct lab_stage *stage)
{
    return is_none(&stage->middle) ? &lab->middle : &stage->middle;
}

/* Each size from 1 to the largest. */
static void draw_small(const struct lab_case *largest, uint64_t seed, struct lab_case *out)
{
    for (int i = 0; i < LAB_SIZES; i++) {
        const uint64_t most = (uint64_t)largest->size[i];
        out->size[i] = most ? 1 + (long)(lab_hash(seed, (uint64_t)i) % most) : 0;
    }
}

enum { GRAINS = 16 }; /* where a stage says nothing else */

static void draw_large(const struct lab *lab, const struct lab_stage *stage, uint64_t seed,
                       struct lab_case *out)
{
    const struct lab_case *least = middle_of(lab, stage);
    const struct lab_case *grain = stage->grains ? &stage->grain : &lab->grain;
    const uint64_t grains = stage->grains ? (uint64_t)stage->grains : GRAINS;
    for (int i = 0; i < LAB_SIZES; i++)
        out->size[i] = least->size[i] + grain->size[i] * (long)(lab_hash(seed, (uint64_t)i) % grains);
}

static bool is_laid_out_by_gpu(const struct lab_stage *stage)
{
    for (int i = 0; i < LAB_BOUNDS && stage->bounds[i].counter; i++)
        if (!strcmp(stage->bounds[i].counter, "blocks_on_half"))
            return true;
    return false;
}

bool lab_find_case(const struct lab *lab, const struct lab_stage *stage, uint32_t which, uint64_t seed,
                   struct lab_case *out)
{
    const uint32_t listed = (uint32_t)lab->ncases;
    *out = (struct lab_case){.stage = NULL};
    if (which < listed)
        *out = lab->cases[which];
    else if (which == LAB_ON_HALF && is_laid_out_by_gpu(stage))
        *out = is_none(&stage->on_half) ? *lab_timed_case(lab, stage) : stage->on_half;
    else if (which == LAB_TIMED)
        *out = *lab_timed_case(lab, stage);
    else if (which == LAB_MIDDLE && !is_none(middle_of(lab, stage)))
        draw_large(lab, stage, lab_hash(seed, which), out);
    else if (which - listed < LAB_DRAWN && !is_none(&lab->drawn))
        draw_small(&lab->drawn, lab_hash(seed, which), out);
    return !is_none(out) && lab_case_applies(out, stage);
}

/* "width 33, height 65". */
static void describe_sizes(const struct lab *lab, const struct lab_case *which, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < LAB_SIZES && lab->size_names[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s %ld", i ? ", " : "", lab->size_names[i],
                                 which->size[i]);
}

/* What is not said is as in the timed case. */
void lab_write_options(const struct lab *lab, const struct lab_stage *stage, uint32_t which,
                       const struct lab_case *sizes, char *out, size_t size)
{
    const struct lab_case *usual = lab_timed_case(lab, stage);
    size_t used = 0;
    out[0] = 0;
    if (which < (uint32_t)lab->ncases) {
        snprintf(out, size, "--case %u", which + 1);
        return;
    }
    for (int i = 0; i < LAB_SIZES && lab->size_options[i] && used < size; i++)
        if (sizes->size[i] != usual->size[i])
            used += (size_t)snprintf(out + used, size - used, "%s-%c %ld", used ? " " : "",
                                     lab->size_options[i], sizes->size[i]);
}

void lab_describe_case(const struct lab *lab, const struct lab_stage *stage, const struct lab_case *which,
                       char *out, size_t size)
{
    struct lab_run run;
    if (!lab->describe || !stage) {
        describe_sizes(lab, which, out, size);
        return;
    }
    lab_begin_run(&run, lab, stage, which, 1);
    out[0] = 0;
    lab->describe(&run, out, size);
}

/* ------------------------------------------------------------------------------------------- buffers */

struct lab_buffer *lab_add(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                           long count)
{
    if (run->nbuffers == LAB_BUFFERS)
        run->has_overflow = true;
    else
        run->nbuffers++;
    struct lab_buffer *buffer = &run->buffers[run->nbuffers - 1];
    *buffer = (struct lab_buffer){
        .name = name, .role = role, .type = type, .high = element_is_real(type) ? 1 : 255};
    buffer->count = count > 0 ? (size_t)count : 0;
    return buffer;
}

struct lab_buffer *lab_add_3d(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                              long width, long height, long depth)
{
    struct lab_buffer *buffer = lab_add(run, role, type, name, width * height * depth);
    buffer->dims[0] = width;
    buffer->dims[1] = height;
    buffer->dims[2] = depth;
    return buffer;
}

int lab_index(const struct lab_run *run, const char *name)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (!strcmp(run->buffers[i].name, name))
            return i;
    return -1;
}

void *lab_device(const struct lab_run *run, const char *name)
{
    const int index = lab_index(run, name);
    return index < 0 ? NULL : run->buffers[index].device;
}

struct lab_buffer *lab_add_2d(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                              long width, long height)
{
    struct lab_buffer *buffer = lab_add_3d(run, role, type, name, width, height, 1);
    buffer->dims[2] = 0;
    return buffer;
}

size_t lab_buffer_bytes(const struct lab_buffer *buffer)
{
    return buffer->count * lab_type_bytes(buffer->type);
}

/* ------------------------------------------------------------------------------------------- tolerance */

/* The largest number that real inputs may hold; 1: there are none. */
static double largest_input(const struct lab_run *run)
{
    double largest = 0;
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_IN && element_is_real(run->buffers[i].type))
            largest = fmax(largest, fmax(fabs(run->buffers[i].low), fabs(run->buffers[i].high)));
    return largest > 0 ? largest : 1;
}

/* Each rounding is off by at most half a unit in the last place: 2^-24 of a float's value, 2^-53 of a double's. */
static void set_tolerance(const struct lab_run *run, struct lab_buffer *buffer)
{
    enum { USUAL_OPERATIONS = 8 };
    const int own = run->stage->operations ? run->stage->operations : buffer->operations;
    const double rounding = buffer->type == LAB_FLOAT ? 0x1p-24 : 0x1p-53;
    if (!element_is_real(buffer->type) || buffer->is_exact)
        return;
    buffer->relative = rounding * (own ? own : USUAL_OPERATIONS);
    buffer->absolute = buffer->relative * (buffer->scale > 0 ? buffer->scale : largest_input(run));
}

/* ------------------------------------------------------------------------------------------- a run */

/* What a buffer holds before a call looks like an input. */
static void lend_range(const struct lab_run *run, struct lab_buffer *to)
{
    for (int i = 0; i < run->nbuffers; i++) {
        const struct lab_buffer *from = &run->buffers[i];
        if (from->role != LAB_IN || from->type != to->type || from->make)
            continue;
        to->low = from->low;
        to->high = from->high;
        return;
    }
}

void lab_begin_run(struct lab_run *run, const struct lab *lab, const struct lab_stage *stage,
                   const struct lab_case *which, uint64_t seed)
{
    *run = (struct lab_run){.lab = lab, .stage = stage, .which = *which, .seed = seed};
    memcpy(run->size, run->which.size, sizeof run->size);
    (stage->layout ? stage->layout : lab->layout)(run);
    for (int i = 0; i < run->nbuffers; i++) {
        if (run->buffers[i].role == LAB_OUT)
            set_tolerance(run, &run->buffers[i]);
        if (run->buffers[i].role != LAB_IN)
            lend_range(run, &run->buffers[i]);
    }
}

bool lab_has_host(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].is_host)
            return true;
    return false;
}

bool lab_has_inputs(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_IN)
            return true;
    return false;
}

bool lab_is_only_said(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_OUT && !run->buffers[i].is_said)
            return false;
    return true;
}

bool lab_has_sheet(const struct lab_run *run)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].sheet)
            return true;
    return false;
}

lab_element_fn *lab_element(const struct lab_run *run)
{
    return run->stage->element ? run->stage->element : run->lab->element;
}

lab_part_fn *lab_part(const struct lab_run *run)
{
    return run->stage->part ? run->stage->part : run->lab->part;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void compute_range(const struct lab_run *run, int index, size_t begin, size_t end, void *expected)
{
    const enum lab_type type = run->buffers[index].type;
    lab_element_fn *element = lab_element(run);
    double value;
    for (size_t i = begin; i < end; i++)
        if (element(run, index, i, &value))
            element_store(type, expected, i, element_bits(type, value));
}

/* A strip of columns after the other: whoever looks down a column of an input finds the neighbours of what it needs in the
 * cache. */
static void compute_elements(const struct lab_run *run, int index, void *expected)
{
    enum { STRIP = 64 };
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t count = buffer->count, width = buffer->dims[0] > 0 ? (size_t)buffer->dims[0] : count;
    for (size_t column = 0; column < width; column += STRIP)
        for (size_t row = 0; row < count; row += width)
            compute_range(run, index, row + column, least(row + least(column + STRIP, width), count),
                          expected);
}

/* What a row says goes before what the lab says. */
static lab_reference_fn *reference_of(const struct lab_run *run)
{
    if (run->stage->reference)
        return run->stage->reference;
    return run->lab->reference && !run->stage->element ? run->lab->reference : compute_elements;
}

void lab_reference(const struct lab_run *run, int index, void *expected)
{
    memset(expected, LAB_POISON, lab_buffer_bytes(&run->buffers[index]));
    reference_of(run)(run, index, expected);
}

enum { WITHOUT_MIDDLE = 1 << 22 }; /* elements of a large case, in a lab that has no middle-sized one */

double lab_work(const struct lab_run *run)
{
    lab_work_fn *own = run->stage->work ? run->stage->work : run->lab->work;
    double bytes = 0;
    if (own)
        return own(run);
    for (int i = 0; i < run->nbuffers; i++)
        bytes += run->buffers[i].role == LAB_SCRATCH ? 0 : (double)lab_buffer_bytes(&run->buffers[i]);
    return 1e-9 * bytes;
}

bool lab_is_large(const struct lab *lab, const struct lab_stage *stage, const struct lab_case *which)
{
    struct lab_case middle;
    struct lab_run run, small;
    size_t elements = 0;
    if (stage->is_whole)
        return false;
    lab_begin_run(&run, lab, stage, which, 1);
    if (lab_find_case(lab, stage, LAB_MIDDLE, 0, &middle)) {
        lab_begin_run(&small, lab, stage, &middle, 1);
        return lab_work(&run) > 2 * lab_work(&small);
    }
    for (int i = 0; i < run.nbuffers; i++)
        elements += run.buffers[i].count;
    return elements > WITHOUT_MIDDLE;
}
