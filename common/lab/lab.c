/* lab.c - finding things in a lab's tables, declaring a run's buffers, and finding flaws in the tables.
 * All of it is pure: nothing is allocated, printed or run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"

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

int lab_stage_points(const struct lab_stage *stage)
{
    int points = stage->correct + stage->clean + stage->concept;
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

/* ------------------------------------------------------------------------------------------- cases */

bool lab_case_applies(const struct lab_case *which, const struct lab_stage *stage)
{
    return !which->stage || !strcmp(which->stage, stage->id);
}

void lab_describe_case(const struct lab *lab, const struct lab_case *which, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < LAB_SIZES && lab->size_names[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s %ld", i ? ", " : "", lab->size_names[i],
                                 which->size[i]);
}

/* ------------------------------------------------------------------------------------------- buffers */

static bool is_real(enum lab_type type)
{
    return type == LAB_FLOAT || type == LAB_DOUBLE;
}

struct lab_buffer *lab_add(struct lab_run *run, enum lab_role role, enum lab_type type, const char *name,
                           size_t count)
{
    if (run->nbuffers == LAB_BUFFERS)
        run->has_overflow = true;
    else
        run->nbuffers++;
    struct lab_buffer *buffer = &run->buffers[run->nbuffers - 1];
    *buffer = (struct lab_buffer){
        .name = name, .role = role, .type = type, .count = count, .high = is_real(type) ? 1 : 255};
    return buffer;
}

size_t lab_buffer_bytes(const struct lab_buffer *buffer)
{
    return buffer->count * lab_type_bytes(buffer->type);
}

void lab_begin_run(struct lab_run *run, const struct lab *lab, const struct lab_stage *stage,
                   const struct lab_case *which, uint64_t seed)
{
    *run = (struct lab_run){.lab = lab, .stage = stage, .which = which, .size = which->size, .seed = seed};
    lab->layout(run);
}

/* ------------------------------------------------------------------------------------------- flaws
 * Each rule looks at a lab, a stage or a run and returns a sentence, or NULL. */

static _Thread_local char flaw_text[256];

__attribute__((format(printf, 1, 2))) static const char *flaw(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(flaw_text, sizeof flaw_text, format, arguments);
    va_end(arguments);
    return flaw_text;
}

static const char *find_missing_part(const struct lab *lab)
{
    if (!lab->id || !lab->title || !lab->unit)
        return "the lab lacks its id, its title or its unit";
    if (!lab->layout || !lab->call || !lab->reference || !lab->work)
        return "the lab lacks one of its functions layout, call, reference, work";
    if (lab->nstages < 1 || lab->ncases < 1)
        return "the lab has no stages or no cases";
    if (lab->nstages > 99)
        return "the lab has more than 99 stages";
    return NULL;
}

static const char *find_double_stage(const struct lab *lab)
{
    for (int i = 0; i < lab->nstages; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(lab->stages[i].id, lab->stages[j].id))
                return flaw("two stages have the id %s", lab->stages[i].id);
    return NULL;
}

static const char *find_wrong_sum(const struct lab *lab)
{
    int points = lab_max_points(lab);
    return points == 100 ? NULL : flaw("the stages' points add up to %d instead of 100", points);
}

static const char *find_size_flaw(const struct lab *lab)
{
    for (int i = 0; i < LAB_SIZES; i++) {
        if (!lab->size_names[i] != !lab->size_options[i])
            return flaw("size %d has a name without an option, or an option without a name", i + 1);
        for (int j = 0; j < i; j++)
            if (lab->size_options[i] && lab->size_options[i] == lab->size_options[j])
                return flaw("two sizes have the option -%c", lab->size_options[i]);
    }
    return NULL;
}

/* ---- a stage ---- */

static const char *find_missing_field(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    if (!stage->title || !stage->entry)
        return flaw("stage %s lacks its title or its entry", stage->id);
    if (!stage->is_given && !stage->baseline && stage->speed[0].points)
        return flaw("stage %s has points for speed, but no baseline", stage->id);
    if (stage->previous && !lab_find_stage(lab, stage->previous))
        return flaw("stage %s names %s as its previous one, which is no stage", stage->id, stage->previous);
    return NULL;
}

static const char *find_point_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    int points = lab_stage_points(stage);
    if (stage->correct < 0 || stage->clean < 0 || stage->concept < 0)
        return flaw("stage %s takes points away", stage->id);
    if (stage->is_given && points)
        return flaw("stage %s is given, but earns points", stage->id);
    if (!stage->is_given && !points)
        return flaw("stage %s earns no points", stage->id);
    return NULL;
}

static const char *find_bound_flaw(const struct lab_stage *stage, const struct lab_bound *bound)
{
    if (!bound->meaning)
        return flaw("stage %s: the bound on %s does not say its meaning", stage->id, bound->counter);
    if (bound->at_least == 0 && bound->at_most == 0)
        return flaw("stage %s: the bound on %s has no limit", stage->id, bound->counter);
    if (bound->at_most && bound->at_least > bound->at_most)
        return flaw("stage %s: no value of %s can be in its bound", stage->id, bound->counter);
    return NULL;
}

static const char *find_bounds_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    const char *found = NULL;
    if (!stage->bounds[0].counter != !stage->concept)
        return flaw("stage %s has bounds without points for the concept, or the points without bounds",
                    stage->id);
    for (int i = 0; i < LAB_BOUNDS && !found; i++) {
        if (stage->bounds[i].counter)
            found = find_bound_flaw(stage, &stage->bounds[i]);
    }
    return found;
}

static const char *find_tier_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    double last = 0;
    for (int i = 0; i < LAB_TIERS; i++) {
        const struct lab_tier *tier = &stage->speed[i];
        if (tier->speedup == 0 && tier->points == 0)
            continue;
        if (tier->points <= 0 || tier->speedup <= 0)
            return flaw("stage %s: tier %d lacks its speedup or its points", stage->id, i + 1);
        if (tier->speedup <= last)
            return flaw("stage %s: tier %d asks no more than the one before", stage->id, i + 1);
        last = tier->speedup;
    }
    return NULL;
}

static const char *find_hint_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    bool has[LAB_SYMPTOMS] = {false};
    for (int i = 0; i < LAB_HINTS && stage->hints[i].text; i++) {
        enum lab_symptom symptom = stage->hints[i].symptom;
        if (symptom <= LAB_NO_SYMPTOM || symptom >= LAB_SYMPTOMS)
            return flaw("stage %s: hint %d has no symptom", stage->id, i + 1);
        if (has[symptom])
            return flaw("stage %s: hint %d is for a symptom that has one already", stage->id, i + 1);
        has[symptom] = true;
    }
    if (!stage->is_given && !has[LAB_UNTOUCHED])
        return flaw("stage %s has no hint for an untouched skeleton", stage->id);
    return NULL;
}

/* ---- a case, and the buffers it makes ---- */

static const char *find_case_flaw(const struct lab *lab, const struct lab_case *which, const char *name)
{
    if (which->stage && !lab_find_stage(lab, which->stage))
        return flaw("%s is for stage %s, which is no stage", name, which->stage);
    for (int i = 0; i < LAB_SIZES; i++)
        if (which->size[i] < 0 || (which->size[i] && !lab->size_names[i]))
            return flaw("%s has a number without a name, or a negative one", name);
    return NULL;
}

static const char *find_buffer_flaw(const struct lab_run *run, int index, const char *name)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    size_t product = 1;
    for (int i = 0; i < 3; i++)
        product *= buffer->dims[i] > 0 ? (size_t)buffer->dims[i] : 1;
    if (!buffer->name || buffer->count == 0)
        return flaw("%s: buffer %d has no name or no elements", name, index + 1);
    if (buffer->dims[0] && product != buffer->count)
        return flaw("%s: the dimensions of %s do not make its count", name, buffer->name);
    if (buffer->role == LAB_IN && !(buffer->low < buffer->high))
        return flaw("%s: %s has an empty range of values", name, buffer->name);
    if (!(buffer->tolerance >= 0))
        return flaw("%s: %s has a negative tolerance", name, buffer->name);
    if (index && buffer->role == LAB_OUT && run->buffers[index - 1].role != LAB_OUT)
        return flaw("%s: output %s stands behind an input", name, buffer->name);
    return NULL;
}

static const char *find_layout_flaw(const struct lab *lab, const struct lab_case *which, const char *name)
{
    struct lab_run run;
    const char *found = NULL;
    lab_begin_run(&run, lab, which->stage ? lab_find_stage(lab, which->stage) : lab->stages, which, 1);
    if (run.has_overflow)
        return flaw("%s: more than %d buffers", name, LAB_BUFFERS);
    if (run.nbuffers == 0 || run.buffers[0].role != LAB_OUT)
        return flaw("%s: the first buffer is no output", name);
    for (int i = 0; i < run.nbuffers && !found; i++)
        found = find_buffer_flaw(&run, i, name);
    return found;
}

static const char *find_cases_flaw(const struct lab *lab)
{
    const char *found = NULL;
    for (int i = 0; i <= lab->ncases && !found; i++) {
        const struct lab_case *which = i < lab->ncases ? &lab->cases[i] : &lab->timed;
        char name[32] = "the timed case";
        if (i < lab->ncases)
            snprintf(name, sizeof name, "case %d", i + 1);
        found = find_case_flaw(lab, which, name);
        if (!found)
            found = find_layout_flaw(lab, which, name);
    }
    return found;
}

static const char *find_stages_flaw(const struct lab *lab)
{
    static const char *(*const rules[])(const struct lab *, const struct lab_stage *) = {
        find_missing_field, find_point_flaw, find_bounds_flaw, find_tier_flaw, find_hint_flaw};
    const char *found = NULL;
    for (int i = 0; i < lab->nstages; i++)
        for (size_t j = 0; j < sizeof rules / sizeof rules[0] && !found; j++)
            found = rules[j](lab, &lab->stages[i]);
    return found;
}

static const char *find_nameless_stage(const struct lab *lab)
{
    for (int i = 0; i < lab->nstages; i++)
        if (!lab->stages[i].id || !lab->stages[i].id[0])
            return flaw("stage %d has no id", i + 1);
    return NULL;
}

const char *lab_find_flaw(const struct lab *lab)
{
    static const char *(*const rules[])(const struct lab *) = {
        find_missing_part, find_nameless_stage, find_double_stage, find_stages_flaw,
        find_wrong_sum,    find_size_flaw,      find_cases_flaw};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !found; i++)
        found = rules[i](lab);
    return found;
}
