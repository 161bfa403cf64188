/* score.c - points of a stage: right results first, then a clean run, the concept, and speed.
 * Nothing but right results earns points of any other kind, and points of a stage are for its step: where neither its bounds
 * nor its tiers show it, right and clean results earn a quarter at most. What is right only as long as threads are lucky earns a
 * half at most. Points fall gradually below a speed that is asked for: see `share`. A measurement that straddles a threshold is
 * decided for the student. What is shown of all this is decided in report_*.c. */
#include "grader/score.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- right and clean */

static bool is_of_values(enum lab_symptom symptom)
{
    return symptom == LAB_WRONG || symptom == LAB_PARTLY;
}

static void find_fault(const struct verdict *verdict, struct score *out)
{
    out->is_right = verdict->ncases > 0;
    for (uint32_t i = 0; i < verdict->ncases; i++) {
        const struct lab_outcome *one = &verdict->cases[i];
        if (one->is_right)
            continue;
        out->is_right = false;
        /* what one case looks like may have several causes, of which another case tells which it is */
        const bool are_alike = out->fault && is_of_values(one->symptom) && is_of_values(out->symptom);
        const bool is_clearer = are_alike && !out->fault->is_cause && one->is_cause;
        const bool is_dimmer = are_alike && out->fault->is_cause && !one->is_cause;
        if (!out->fault || is_clearer ||
            (!is_dimmer && lab_graver(one->symptom, out->symptom) != out->symptom)) {
            out->fault = one;
            out->symptom = one->symptom;
        }
    }
}

/* Findings after which a GPU may hang, or give another result in the next run: they cost more than the clean points. */
static const bool is_grave[LAB_SYMPTOMS] = {
    [LAB_FAULT] = true,    [LAB_MISALIGNED] = true, [LAB_STOPPED] = true, [LAB_ENDLESS] = true,
    [LAB_DEADLOCK] = true, [LAB_BARRIER] = true,    [LAB_LANES] = true,   [LAB_RACE] = true,
    [LAB_LOST] = true,     [LAB_BLOCKS] = true,     [LAB_STREAMS] = true, [LAB_UNINITIALISED] = true,
};

static void find_dirt(const struct verdict *verdict, struct score *out)
{
    enum lab_symptom gravest = LAB_NO_SYMPTOM;
    out->is_clean = true;
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        if (!verdict_is_finding(&verdict->messages[i]))
            continue;
        out->is_clean = false;
        out->is_grave = out->is_grave || is_grave[verdict->messages[i].symptom];
        out->goes_by_leftovers |= verdict->messages[i].symptom == LAB_UNINITIALISED;
        gravest = lab_graver(gravest, verdict->messages[i].symptom);
    }
    if (out->symptom == LAB_NO_SYMPTOM)
        out->symptom = gravest;
}

/* ------------------------------------------------------------------------------------------- concept */

/* Nothing per nothing is nothing: a kernel without shared loads has no conflicts among them. */
static bool find_value(const struct lab_bound *bound, const struct verdict *verdict, double *value)
{
    static const double nothing = 0, one = 1;
    const double *over = verdict_counter(verdict, bound->counter);
    const double *less = bound->minus ? verdict_counter(verdict, bound->minus) : &nothing;
    const double *under = bound->per ? verdict_counter(verdict, bound->per) : &one;
    if (!over || !less || !under)
        return false;
    *value = (*over - *less) / (*under != 0 ? *under : 1);
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

/* Times of another GPU, another day or the model differ by a tenth, so a tenth below a threshold still shows the step. What misses
 * it by 15 % is the step before: `./grade check` holds all tiers that far apart. */
static const double near = 0.9, far = 0.85;

/* How far a speedup shows what `needed` is asked for: 1 within a tenth of it, from there down to 0 where it is missed clearly. */
static double evidence(double speedup, double needed)
{
    return fmin(1, fmax(0, (speedup / needed - far) / (near - far)));
}

/* The share of the points that are for a speedup of `needed`: within a tenth of it as much as was reached of it. */
static double share(double speedup, double needed)
{
    return evidence(speedup, needed) * fmin(1, fmax(near, speedup / needed));
}

/* Rounded down: who misses a threshold is told so by a point at least. */
static int whole(double points)
{
    return (int)floor(points + 1e-9);
}

/* A measurement that leaves a threshold open is read in the student's favour; one that leaves everything open is not. */
static double speedup_for(const struct verdict_time *time, const struct lab_tier *tier)
{
    if (!time->is_known)
        return 0;
    return time->speedup >= near * tier->speedup ? fmax(time->speedup, time->high) : time->speedup;
}

static void score_speed(const struct lab_stage *stage, const struct verdict *verdict, struct score *out)
{
    const struct verdict_time *time = &verdict->time;
    out->has_speedup = time->is_known && time->speedup > 0;
    out->speedup = time->speedup;
    out->low = time->low;
    out->high = time->high;
    double points = 0;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++) {
        const struct lab_tier *tier = &stage->speed[i];
        const double given = out->is_right ? share(speedup_for(time, tier), tier->speedup) : 0;
        points += given * tier->points;
        if (given == 1 && time->speedup < tier->speedup)
            out->is_generous = true;
        if (!out->misses_tier)
            out->needed = tier->speedup;
        out->misses_tier = out->misses_tier || given < 1;
    }
    out->speed.points = whole(points);
}

static bool has_baseline(const struct lab *lab, const struct lab_stage *stage, const char *baseline)
{
    const char *own = lab_baseline(lab, stage);
    return own && baseline && strcmp(own, baseline) == 0;
}

static double highest_tier(const struct lab_stage *stage)
{
    double highest = 0;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++)
        highest = fmax(highest, stage->speed[i].speedup);
    return highest;
}

/* What the steps before are known to reach: the highest tier among them that is measured like this stage's own, 1 where there
 * is none, for all begins with the baseline. */
static double speed_before(const struct lab *lab, const struct lab_stage *stage)
{
    double speed = 1;
    const struct lab_stage *step = lab_previous(lab, stage);
    for (; step && !step->is_given; step = lab_previous(lab, step))
        if (has_baseline(lab, step, lab_baseline(lab, stage)))
            speed = fmax(speed, highest_tier(step));
    return speed;
}

/* Counters can be had for nothing by a kernel that does little at a time: a step is not slower than those before it, by more
 * than a fifth, unless its row says so. */
static double slowest(const struct lab *lab, const struct lab_stage *stage)
{
    return stage->slowest > 0 ? stage->slowest : 0.8 * speed_before(lab, stage);
}

static double find_pace(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict)
{
    return verdict->time.is_known ? share(verdict->time.high, slowest(lab, stage)) : 1;
}

/* ------------------------------------------------------------------------------------------- the step */

static bool has_evidence(const struct lab_stage *stage)
{
    return stage->bounds[0].counter || stage->speed[0].points;
}

static bool misses_needed(const struct score_bound *bounds)
{
    for (int i = 0; i < LAB_BOUNDS && bounds[i].bound; i++)
        if (bounds[i].bound->is_needed && !bounds[i].holds)
            return true;
    return false;
}

/* How far a verdict, found in whatever slot, shows the step of this stage, from 0 to 1: all of its bounds hold, or one of its tiers
 * is reached and no bound that is needed is missed, where `baseline` is what the verdict's speedup was measured against. */
static double find_step(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict,
                        const char *baseline)
{
    struct score_bound bounds[LAB_BOUNDS] = {{NULL}};
    const bool is_comparable = has_baseline(lab, stage, baseline);
    const double pace = is_comparable ? find_pace(lab, stage, verdict) : 1;
    double shown = 0;
    if (stage->bounds[0].counter && check_bounds(stage->bounds, verdict, bounds))
        return pace;
    if (misses_needed(bounds))
        return 0;
    for (int i = 0; is_comparable && i < LAB_TIERS && stage->speed[i].points; i++)
        shown = fmax(shown, evidence(speedup_for(&verdict->time, &stage->speed[i]), stage->speed[i].speedup));
    return pace * shown;
}

/* The latest step before this one that the verdict shows, else the given one that it all begins with. */
static const struct lab_stage *find_earlier(const struct lab *lab, const struct lab_stage *stage,
                                            const struct verdict *verdict)
{
    const char *baseline = lab_baseline(lab, stage);
    const struct lab_stage *step = lab_previous(lab, stage);
    while (step && !step->is_given && find_step(lab, step, verdict, baseline) < near)
        step = lab_previous(lab, step);
    return step;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* No more than `most` of all points; what comes first is kept first. */
static void keep(struct score *out, int most)
{
    struct score_part *const parts[] = {&out->correct, &out->clean, &out->concept, &out->speed};
    for (int i = 0; i < LAB_COUNT(parts); i++) {
        parts[i]->points = least(parts[i]->points, most);
        most -= parts[i]->points;
    }
}

/* ------------------------------------------------------------------------------------------- hints */

/* What is known to be the cause of a wrong output says more than any hint for wrong values, and may contradict it. */
static bool is_known_advice(const struct lab_outcome *one)
{
    static const enum lab_symptom about_values[] = {LAB_WRONG, LAB_EDGE, LAB_PARTLY, LAB_UNINITIALISED,
                                                    LAB_UNTOUCHED};
    for (int i = 0; one && one->is_cause && one->known[0] && i < LAB_COUNT(about_values); i++)
        if (one->symptom == about_values[i])
            return true;
    return false;
}

/* A whole sentence of words that begin in the middle of one. */
static void write_sentence(const char *words, char *out, size_t size)
{
    const char last = words[strlen(words) - 1];
    snprintf(out, size, "%s%s", words, last == '.' || last == '?' ? "" : ".");
    out[0] = (char)toupper((unsigned char)out[0]);
}

/* The first bound that was missed knows best what to do, unless the stage does. */
static const char *find_bound_hint(const struct score *score)
{
    for (int i = 0; i < LAB_BOUNDS && score->bounds[i].bound; i++)
        if (!score->bounds[i].holds)
            return score->bounds[i].bound->hint;
    return NULL;
}

/* How well a finding explains what the hint is about: the same symptom in the same case is best. */
static int fitness(const struct score *score, const struct verdict_message *message)
{
    if (message->symptom != score->symptom || message->symptom == LAB_NO_SYMPTOM)
        return verdict_is_finding(message) ? 1 : 0;
    return score->fault && message->which == score->fault->which ? 3 : 2;
}

/* A missing barrier shows within a warp as well; what it takes shows between warps. What says why goes before both. */
static bool is_wider(const struct verdict_message *a, const struct verdict_message *b)
{
    const bool says_why = lab_says_why(a->text), other_says_why = lab_says_why(b->text);
    return a->symptom == b->symptom &&
           (says_why != other_says_why ? says_why
                                       : !lab_is_within_warp(a->title) && lab_is_within_warp(b->title));
}

static bool is_better(const struct score *score, const struct verdict_message *one,
                      const struct verdict_message *best)
{
    const int fits = fitness(score, one), best_fits = best ? fitness(score, best) : 0;
    if (!fits || !best)
        return fits > 0;
    if (is_wider(one, best) || is_wider(best, one))
        return is_wider(one, best);
    return fits > best_fits || (fits == best_fits && one->which < best->which);
}

/* What became of a call of the host's has nothing to do with values that kernels computed wrongly. */
static bool is_beside_the_point(const struct score *score, const struct verdict_message *message)
{
    static const bool is_of_kernels[LAB_SYMPTOMS] = {[LAB_UNTOUCHED] = true,
                                                     [LAB_UNINITIALISED] = true,
                                                     [LAB_PARTLY] = true,
                                                     [LAB_EDGE] = true,
                                                     [LAB_WRONG] = true};
    return is_of_kernels[score->symptom] && strcmp(message->severity, "refused") == 0;
}

/* Remarks that cost no points are told where results are wrong. */
static const struct verdict_message *find_finding(const struct score *score, const struct verdict *verdict)
{
    const struct verdict_message *best = NULL;
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        if (is_better(score, &verdict->messages[i], best))
            best = &verdict->messages[i];
    for (uint32_t i = 0; !best && !score->is_right && i < verdict->nmessages; i++)
        if (!is_beside_the_point(score, &verdict->messages[i]))
            best = &verdict->messages[i];
    return best;
}

/* One finding stands for all cases that have the same at the same place, and names the numbers of its own case. */
uint32_t score_told_case(const struct score *score)
{
    const struct lab_outcome *fault = score->fault;
    const struct verdict_message *finding = score->finding;
    if (!fault || (finding && strstr(fault->text, finding->title) && *finding->place &&
                   strstr(fault->text, finding->place)))
        return finding ? finding->which : 0;
    return fault->which;
}

/* What the hint is about: the finding, if it has the hint's symptom, or what is said of the wrong case. */
static const char *words_of_finding(const struct score *score, char *out, size_t size)
{
    if (score->finding && score->finding->symptom == score->symptom)
        return score->finding->text;
    if (!score->fault)
        return NULL;
    snprintf(out, size, "%s%s%s", score->fault->text, score->fault->known[0] ? ": " : "",
             score->fault->known);
    return out;
}

/* One block has worked for longer than all should need together. */
static void write_ended(const struct verdict *verdict, char *out, size_t size)
{
    enum { MANY = 100 };
    const double *blocks = verdict_counter(verdict, "blocks");
    snprintf(
        out, size,
        "Right at smaller sizes. At the size that is timed it was ended when it had taken %.0f ms on this "
        "GPU, where the kit's own step takes %.2f ms: %s",
        verdict->time.student_us / 1e3, verdict->time.baseline_us / 1e3,
        blocks && *blocks > MANY
            ? "each block does far more than its share. A loop over all elements must step by the threads "
              "of the whole grid, blockDim.x * gridDim.x."
            : "one warp does what all blocks should share. Launch enough threads for all elements, and "
              "let each do a few of them.");
}

static void write_hint(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict,
                       struct score *out)
{
    char words[sizeof out->fault->text + sizeof out->fault->known + 2];
    const char *of_bound = out->symptom == LAB_CONCEPT ? find_bound_hint(out) : NULL;
    /* a stage's own words are about what it is for: its first bound */
    const bool is_own = lab_own_hint(stage, LAB_CONCEPT) && (out->bounds[0].bound && !out->bounds[0].holds);
    const bool says_why =
        out->finding && out->finding->symptom == out->symptom && lab_says_why(out->finding->text);
    out->is_known = !says_why && is_known_advice(out->fault);
    if (out->is_known) {
        write_sentence(out->fault->known, out->hint, sizeof out->hint);
        lab_name_first(out->fault->text, out->hint, sizeof out->hint);
    } else if (out->is_ended && out->symptom == LAB_SLOW) {
        write_ended(verdict, out->hint, sizeof out->hint);
    } else if (of_bound && !is_own) {
        snprintf(out->hint, sizeof out->hint, "%s", of_bound);
    } else {
        lab_write_hint(lab, stage, out->symptom, words_of_finding(out, words, sizeof words), out->hint,
                       sizeof out->hint);
    }
}

/* ------------------------------------------------------------------------------------------- the whole */

static void set_most(const struct lab_stage *stage, struct score *out)
{
    out->correct.most = stage->points.correct;
    out->clean.most = stage->points.clean;
    out->concept.most = stage->points.concept;
    for (int i = 0; i < LAB_TIERS; i++)
        out->speed.most += stage->speed[i].points;
    out->all.most = out->correct.most + out->clean.most + out->concept.most + out->speed.most;
}

static int sum_points(const struct score *score)
{
    return score->correct.points + score->clean.points + score->concept.points + score->speed.points;
}

/* A bound that was missed says why it is slow; of what was ended there are no counters. */
static void find_next_symptom(struct score *out)
{
    if (out->symptom != LAB_NO_SYMPTOM)
        return;
    if (!out->meets_bounds && !out->is_ended)
        out->symptom = LAB_CONCEPT;
    else if (sum_points(out) < out->all.most)
        out->symptom = LAB_SLOW;
}

/* Of right results. */
static void score_parts(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict,
                        struct score *out)
{
    out->correct.points = stage->points.correct;
    out->clean.points = out->is_clean ? stage->points.clean : 0;
    out->concept.points = out->has_concept ? stage->points.concept : 0;
    const double step = has_evidence(stage) ? find_step(lab, stage, verdict, lab_baseline(lab, stage)) : 1;
    if (out->goes_by_leftovers)
    out->concept.points = out->speed.points = 0;
    if (out->is_grave)
        keep(out, out->all.most / SCORE_WITH_LUCK);
    const int quarter = out->all.most / SCORE_WITHOUT_STEP, beyond = sum_points(out) - quarter;
    if (beyond > 0)
        keep(out, quarter + whole(step * beyond));
    out->is_earlier = step == 0;
    if (out->is_earlier)
        out->earlier = find_earlier(lab, stage, verdict);
}

void score_stage(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict,
                 struct score *out)
{
    *out = (struct score){.symptom = LAB_NO_SYMPTOM};
    set_most(stage, out);
    find_fault(verdict, out);
    find_dirt(verdict, out);
    const double pace = find_pace(lab, stage, verdict);
    out->is_too_slow = pace < 1;
    out->is_ended = verdict->time.is_known && !verdict->time.samples;
    out->slowest = slowest(lab, stage);
    out->meets_bounds = check_bounds(stage->bounds, verdict, out->bounds);
    out->has_concept = out->meets_bounds && pace > 0;
    score_speed(stage, verdict, out);
    if (out->is_right) {
        score_parts(lab, stage, verdict, out);
        find_next_symptom(out);
    }
    out->all.points = sum_points(out);
    out->finding = find_finding(out, verdict);
    write_hint(lab, stage, verdict, out);
}

void score_failed(const struct lab *lab, const struct lab_stage *stage, enum lab_symptom symptom,
                  const char *hint, const char *finding, struct score *out)
{
    *out = (struct score){.symptom = symptom};
    set_most(stage, out);
    if (hint)
        snprintf(out->hint, sizeof out->hint, "%s", hint);
    else
        lab_write_hint(lab, stage, symptom, finding, out->hint, sizeof out->hint);
}
