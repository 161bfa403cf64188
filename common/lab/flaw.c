/* flaw.c - finds what is wrong with a lab's tables before anybody is graded by them.
 * Each rule looks at a lab, a stage or a run and returns a sentence, or NULL. All of it is pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab/element.h"
#include "lab/lab.h"

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
    if (!lab->call)
        return "the lab lacks its function call";
    if (lab->nstages < 1 || lab->ncases < 1)
        return "the lab has no stages or no cases: LAB_STAGES(...) and LAB_CASES(...) name them";
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
    if (points == 100)
        return NULL;
    return flaw(
        "the stages' points add up to %d instead of 100: change correct, clean, concept or speed of a row",
        points);
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
    if (!stage->title || !stage->entry)
        return flaw("stage %s lacks its title or its entry: LAB_CALLS(...) names the entry", stage->id);
    if (!stage->is_given && !lab_baseline(lab, stage) && stage->speed[0].points)
        return flaw("stage %s has points for speed, but neither it nor the lab has a baseline", stage->id);
    if (!stage->is_given && stage->todo.number < 1)
        return flaw("stage %s does not say which TODO of the skeleton it is: .todo = {1, .section = 2}",
                    stage->id);
    if (stage->todo.section < 0 || stage->operations < 0)
        return flaw("stage %s has a negative section or negative operations", stage->id);
    return NULL;
}

/* A stage may leave to its lab whatever the lab has. */
static const char *find_missing_function(const struct lab *lab, const struct lab_stage *stage)
{
    const bool is_in_bytes = !strcmp(lab_unit(lab, stage), "GB/s");
    if (!lab->layout && !stage->layout)
        return flaw("stage %s has no layout, and neither has the lab", stage->id);
    if (!lab->reference && !stage->reference && !lab->element && !stage->element)
        return flaw("stage %s has no reference, and neither has the lab", stage->id);
    if (!is_in_bytes && !lab->work && !stage->work)
        return flaw("stage %s has no work, and neither has the lab: only GB/s can be counted without it",
                    stage->id);
    return NULL;
}

/* Steps come one after the other, so nothing can stand in a circle. */
static const char *find_order_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    const struct lab_stage *previous = stage->previous ? lab_find_stage(lab, stage->previous) : NULL;
    if (stage->previous && !previous)
        return flaw("stage %s names %s as its previous one, which is no stage", stage->id, stage->previous);
    if (previous && previous >= stage)
        return flaw("stage %s names %s as its previous one, which does not stand above it", stage->id,
                    stage->previous);
    return NULL;
}

static const char *find_contained_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    char id[64];
    for (const char *name = stage->contains ? stage->contains : ""; *name; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        snprintf(id, sizeof id, "%.*s", (int)length, name);
        const struct lab_stage *other = lab_find_stage(lab, id);
        if (length && (!other || other == stage))
            return flaw("stage %s says that it contains %s, which is no other stage", stage->id, id);
        name += length;
    }
    return NULL;
}

static const char *find_point_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    (void)lab;
    int points = lab_stage_points(stage);
    if (stage->points.correct < 0 || stage->points.clean < 0 || stage->points.concept < 0)
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
    if (!stage->bounds[0].counter != !stage->points.concept)
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
    for (int i = 0; i < LAB_HINTS && (stage->hints[i].text || stage->hints[i].symptom); i++) {
        enum lab_symptom symptom = stage->hints[i].symptom;
        if (symptom <= LAB_NO_SYMPTOM || symptom >= LAB_SYMPTOMS)
            return flaw("stage %s: hint %d has no symptom", stage->id, i + 1);
        if (!stage->hints[i].text)
            return flaw("stage %s: hint %d has no text", stage->id, i + 1);
        if (!stage->hints[i].about && has[symptom])
            return flaw("stage %s: hint %d is for a symptom that has one already", stage->id, i + 1);
        has[symptom] = has[symptom] || !stage->hints[i].about;
    }
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

static bool is_sheet_of(const struct lab_run *run, const struct lab_buffer *answers)
{
    for (int i = 0; i < run->nbuffers; i++) {
        const struct lab_buffer *sheet = &run->buffers[i];
        if (sheet->role == LAB_IN && sheet->type == answers->type && !strcmp(sheet->name, answers->sheet))
            return answers->role == LAB_OUT && sheet->count > answers->count &&
                   sheet->count % answers->count == 0;
    }
    return false;
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
    if (buffer->make && (buffer->role != LAB_IN || element_is_real(buffer->type)))
        return flaw("%s: %s is made by a rule, so it must be an input of integers", name, buffer->name);
    if (buffer->operations < 0 || !(buffer->scale >= 0))
        return flaw("%s: %s has negative operations or a negative scale", name, buffer->name);
    if (buffer->is_exact && (buffer->operations || buffer->scale > 0))
        return flaw("%s: %s is exact, so operations and scale mean nothing", name, buffer->name);
    if (buffer->is_said && (buffer->role != LAB_OUT || !buffer->is_host))
        return flaw("%s: %s is said by host code, so it must be an output on the host", name, buffer->name);
    if (buffer->sheet && !is_sheet_of(run, buffer))
        return flaw(
            "%s: %s has answers, so its sheet must be an input of its type with as many choices for each",
            name, buffer->name);
    if (index && buffer->role == LAB_OUT && run->buffers[index - 1].role != LAB_OUT)
        return flaw("%s: output %s stands behind an input", name, buffer->name);
    return NULL;
}

static const char *find_sum_flaw(const struct lab_run *run, const char *name)
{
    int count[LAB_SCRATCH + 1] = {0}, odd = 0;
    for (int i = 0; i < run->nbuffers; i++) {
        const struct lab_buffer *buffer = &run->buffers[i];
        count[buffer->role]++;
        odd += buffer->is_host || buffer->type != (buffer->role == LAB_IN ? LAB_INT : LAB_INT64);
    }
    if (!run->lab->is_sum || (count[LAB_OUT] == 1 && count[LAB_IN] == 1 && !odd))
        return NULL;
    return flaw("%s: the lab is_sum, so it has one input, LAB_INT, and the sum and scratch are LAB_INT64",
                name);
}

static const char *find_layout_flaw(const struct lab *lab, const struct lab_stage *stage,
                                    const struct lab_case *which, const char *name)
{
    struct lab_run run;
    const char *found = NULL;
    lab_begin_run(&run, lab, stage, which, 1);
    if (run.has_overflow)
        return flaw("%s: more than %d buffers", name, LAB_BUFFERS);
    if (run.nbuffers == 0 || run.buffers[0].role != LAB_OUT)
        return flaw("%s: the first buffer is no output", name);
    for (int i = 0; i < run.nbuffers && !found; i++)
        found = find_buffer_flaw(&run, i, name);
    return found ? found : find_sum_flaw(&run, name);
}

static const char *find_whole_flaw(const struct lab *lab, const struct lab_stage *stage,
                                   const struct lab_case *timed, const char *name)
{
    struct lab_run run;
    lab_begin_run(&run, lab, stage, timed, 1);
    for (int i = 0; stage->is_whole && i < run.nbuffers; i++)
        if (run.buffers[i].role == LAB_IN && lab_buffer_bytes(&run.buffers[i]) > LAB_WHOLE_BYTES)
            return flaw("%s is executed as a whole, and %s is too large for that", name, run.buffers[i].name);
    return NULL;
}

static const char *find_cases_flaw(const struct lab *lab)
{
    const char *found = NULL;
    char name[32];
    for (int i = 0; i < lab->ncases && !found; i++) {
        snprintf(name, sizeof name, "case %d", i + 1);
        found = find_case_flaw(lab, &lab->cases[i], name);
    }
    return found ? found : find_case_flaw(lab, &lab->timed, "the timed case");
}

/* Every case of a stage, its timed one last. */
static const char *find_layouts_flaw(const struct lab *lab, const struct lab_stage *stage)
{
    const struct lab_case *timed = lab_timed_case(lab, stage);
    const char *found = NULL;
    char name[96];
    int seen = 0;
    for (int i = 0; i < lab->ncases && !found; i++) {
        if (!lab_case_applies(&lab->cases[i], stage))
            continue;
        seen++;
        snprintf(name, sizeof name, "case %d in stage %.40s", i + 1, stage->id);
        found = find_layout_flaw(lab, stage, &lab->cases[i], name);
    }
    if (!found && seen == 0)
        return flaw("stage %s has no case: leave .stage out of one, or name this stage in one", stage->id);
    snprintf(name, sizeof name, "the timed case of stage %.40s", stage->id);
    if (!found)
        found = find_case_flaw(lab, timed, name);
    if (!found)
        found = find_layout_flaw(lab, stage, timed, name);
    return found ? found : find_whole_flaw(lab, stage, timed, name);
}

static const char *find_stages_flaw(const struct lab *lab)
{
    static const char *(*const rules[])(const struct lab *, const struct lab_stage *) = {
        find_missing_field, find_missing_function, find_order_flaw, find_contained_flaw,
        find_point_flaw,    find_bounds_flaw,      find_tier_flaw,  find_hint_flaw};
    const char *found = NULL;
    for (int i = 0; i < lab->nstages; i++)
        for (int j = 0; j < LAB_COUNT(rules) && !found; j++)
            found = rules[j](lab, &lab->stages[i]);
    return found;
}

/* Layouts are functions of the lab: they are called when all that they may look at is known to be there. */
static const char *find_buffers_flaw(const struct lab *lab)
{
    const char *found = NULL;
    for (int i = 0; i < lab->nstages && !found; i++)
        found = find_layouts_flaw(lab, &lab->stages[i]);
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
        find_wrong_sum,    find_size_flaw,      find_cases_flaw,   find_buffers_flaw};
    const char *found = NULL;
    for (int i = 0; i < LAB_COUNT(rules) && !found; i++)
        found = rules[i](lab);
    return found;
}
