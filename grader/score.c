/* score.c - points of a stage: right results first, then a clean run, the concept, and speed.
 * Nothing but right results earns points of any other kind. A measurement that straddles a threshold is decided for the
 * student. What is shown of all this is decided in report_*.c. */
#include "grader/score.h"

#include <string.h>

/* Which trouble is told first: the earlier row. A symptom that is not here is told last. */
static const enum lab_symptom order[] = {
    LAB_MISSING, LAB_NO_LAUNCH, LAB_LAUNCH, LAB_FAULT,     LAB_ENDLESS, LAB_BARRIER,      LAB_UNTOUCHED,
    LAB_RACE,    LAB_PARTLY,    LAB_EDGE,   LAB_HOST_READ, LAB_WRONG,   LAB_UNINITIALISED};

static const struct {
    const char *name, *hint;
} symptoms[LAB_SYMPTOMS] = {
    [LAB_NO_SYMPTOM] = {"none", ""},
    [LAB_MISSING] = {"missing",
                     "The entry point is not in your file. Compare its name and parameters with the header."},
    [LAB_UNTOUCHED] = {"untouched", "Nothing was written yet. Begin with the TODO of this stage."},
    [LAB_NO_LAUNCH] = {"no-launch",
                       "The entry point starts no kernel. Write the kernel, then launch it there."},
    [LAB_LAUNCH] = {"launch",
                    "A call of CUDA was refused. Check the launch's grid, block and shared memory."},
    [LAB_FAULT] = {"fault",
                   "The kernel was stopped at a bad access. Test indexes against the sizes before use."},
    [LAB_RACE] = {"race",
                  "Two threads touch the same place without an order between them. Is a barrier missing?"},
    [LAB_BARRIER] = {"barrier",
                     "Every thread of a block must reach the same barrier. Move it out of the condition."},
    [LAB_UNINITIALISED] = {"uninitialised",
                           "The kernel reads memory that nobody wrote. Set it to a value first."},
    [LAB_ENDLESS] = {"endless", "The kernel does not end. Look at the condition of its loops."},
    [LAB_PARTLY] = {"partly",
                    "Some elements are never written. Do the grid and the loops cover all of them?"},
    [LAB_EDGE] = {"edge", "Round sizes are right, others are not. Look at the last, partly filled block."},
    [LAB_WRONG] = {"wrong", "The values are wrong. Work through one small case by hand, element by element."},
    [LAB_HOST_READ] = {"host-read",
                       "The result must be computed on the GPU: the host never sees real data here."},
    [LAB_CONCEPT] = {"concept",
                     "The results are right, but the kernel does not yet do what this stage is about."},
    [LAB_SLOW] = {"slow",
                  "The results are right; now make it faster. The handout's section on this stage helps."},
};

const char *score_symptom_name(enum lab_symptom symptom)
{
    return symptom < LAB_SYMPTOMS ? symptoms[symptom].name : "unknown";
}

const char *score_hint(const struct lab_stage *stage, enum lab_symptom symptom)
{
    for (int i = 0; i < LAB_HINTS && stage->hints[i].text; i++) {
        if (stage->hints[i].symptom == symptom)
            return stage->hints[i].text;
    }
    return symptom < LAB_SYMPTOMS ? symptoms[symptom].hint : "";
}

/* ------------------------------------------------------------------------------------------- right and clean */

static int rank(enum lab_symptom symptom)
{
    int n = sizeof order / sizeof *order;
    for (int i = 0; i < n; i++) {
        if (order[i] == symptom)
            return i;
    }
    return n;
}

static void find_fault(const struct verdict *verdict, struct score *out)
{
    out->is_right = verdict->ncases > 0;
    for (uint32_t i = 0; i < verdict->ncases; i++) {
        const struct verdict_case *one = &verdict->cases[i];
        if (one->is_right)
            continue;
        out->is_right = false;
        if (!out->fault || rank(one->symptom) < rank(out->symptom)) {
            out->fault = one;
            out->symptom = one->symptom;
        }
    }
}

/* What a finding of the checkers is called, by words of its title. */
static const struct {
    const char *word;
    enum lab_symptom symptom;
} findings[] = {
    {"race", LAB_RACE},
    {"barrier", LAB_BARRIER},
    {"deadlock", LAB_BARRIER},
    {"uninitialised", LAB_UNINITIALISED},
    {"never written", LAB_UNINITIALISED},
    {"endless", LAB_ENDLESS},
    {"launch", LAB_LAUNCH},
    {"bounds", LAB_FAULT},
};

static enum lab_symptom symptom_of(const struct verdict_message *message)
{
    if (strcmp(message->severity, "race") == 0)
        return LAB_RACE;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        if (strstr(message->title, findings[i].word))
            return findings[i].symptom;
    }
    return LAB_FAULT;
}

static void find_dirt(const struct verdict *verdict, struct score *out)
{
    out->is_clean = true;
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        if (!verdict_is_finding(&verdict->messages[i]))
            continue;
        out->is_clean = false;
        if (out->symptom == LAB_NO_SYMPTOM)
            out->symptom = symptom_of(&verdict->messages[i]);
    }
}

/* ------------------------------------------------------------------------------------------- concept */

static bool find_counter(const struct verdict *verdict, const char *name, double *value)
{
    for (uint32_t i = 0; i < verdict->ncounters; i++) {
        if (strcmp(verdict->counters[i].name, name) == 0) {
            *value = verdict->counters[i].value;
            return true;
        }
    }
    return false;
}

/* Nothing per nothing is nothing: a kernel without shared loads has no conflicts among them. */
static bool find_value(const struct lab_bound *bound, const struct verdict *verdict, double *value)
{
    double top, bottom = 1;
    if (!find_counter(verdict, bound->counter, &top) ||
        (bound->per && !find_counter(verdict, bound->per, &bottom)))
        return false;
    *value = bottom != 0 ? top / bottom : top;
    return true;
}

static bool holds(const struct lab_bound *bound, double value)
{
    double slack = 1e-9;
    return value >= bound->at_least * (1 - slack) &&
           (bound->at_most == 0 || value <= bound->at_most * (1 + slack));
}

/* True if all bounds of the list hold. */
static bool check_bounds(const struct lab_bound *bounds, const struct verdict *verdict,
                         struct score_bound *out)
{
    bool all = true;
    for (int i = 0; i < LAB_BOUNDS && bounds[i].counter; i++) {
        struct score_bound *one = &out[i];
        one->bound = &bounds[i];
        one->is_known = find_value(&bounds[i], verdict, &one->value);
        one->holds = one->is_known && holds(&bounds[i], one->value);
        all = all && one->holds;
    }
    return all;
}

/* ------------------------------------------------------------------------------------------- speed */

static bool reaches(const struct lab_tier *tier, struct score *out)
{
    if (!out->has_speedup)
        return false;
    if (out->speedup < tier->speedup && out->high >= tier->speedup)
        out->is_generous = true;
    return out->high >= tier->speedup || out->speedup >= tier->speedup;
}

static void score_speed(const struct lab_stage *stage, const struct verdict *verdict, struct score *out)
{
    const struct verdict_time *time = &verdict->time;
    out->has_speedup = time->is_known && time->speedup > 0;
    out->speedup = time->speedup;
    out->low = time->low;
    out->high = time->high;
    bool is_missed = false;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++) {
        const struct lab_tier *tier = &stage->speed[i];
        bool is_given = out->is_right && reaches(tier, out);
        if (is_given)
            out->speed.points += tier->points;
        if (!is_missed)
            out->needed = tier->speedup;
        is_missed = is_missed || !is_given;
    }
}

/* ------------------------------------------------------------------------------------------- the whole */

static void set_most(const struct lab_stage *stage, struct score *out)
{
    out->correct.most = stage->correct;
    out->clean.most = stage->clean;
    out->concept.most = stage->concept;
    for (int i = 0; i < LAB_TIERS; i++)
        out->speed.most += stage->speed[i].points;
    out->all.most = out->correct.most + out->clean.most + out->concept.most + out->speed.most;
}

static void find_next_symptom(struct score *out)
{
    if (out->symptom != LAB_NO_SYMPTOM)
        return;
    if (!out->has_concept)
        out->symptom = LAB_CONCEPT;
    else if (out->speed.points < out->speed.most)
        out->symptom = LAB_SLOW;
}

void score_stage(const struct lab_stage *stage, const struct verdict *verdict, struct score *out)
{
    *out = (struct score){.hint = ""};
    set_most(stage, out);
    find_fault(verdict, out);
    find_dirt(verdict, out);
    out->has_concept = check_bounds(stage->bounds, verdict, out->bounds);
    score_speed(stage, verdict, out);
    if (out->is_right) {
        out->correct.points = stage->correct;
        out->clean.points = out->is_clean ? stage->clean : 0;
        out->concept.points = out->has_concept ? stage->concept : 0;
        find_next_symptom(out);
    }
    out->all.points = out->correct.points + out->clean.points + out->concept.points + out->speed.points;
    out->hint = out->symptom == LAB_NO_SYMPTOM ? "" : score_hint(stage, out->symptom);
}

void score_failed(const struct lab_stage *stage, enum lab_symptom symptom, struct score *out)
{
    *out = (struct score){.symptom = symptom, .hint = score_hint(stage, symptom)};
    set_most(stage, out);
}
