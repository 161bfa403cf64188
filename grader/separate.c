/* separate.c - `./grade check lab3`: does every threshold tell its step from the one before?
 * For each stage the kit's solution must clear the highest tier by 15 %, and the previous step's kernel in the same slot
 * must miss it by 15 %, or be wrong there, on the GPU at hand or on the virtual one. With --json: the times of every
 * stage in its slot and of the step before it, thresholds or none. For instructors who change a table, and for tests. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN 0.15

/* One row of the table. */
struct separation {
    const struct lab_stage *stage, *previous;
    double tier;
    struct verdict *own, *other;
    bool is_apart;
    const char *told_by;
    const char *flaw; /* NULL: none */
};

static double last_tier(const struct lab_stage *stage)
{
    double tier = 0;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++)
        tier = stage->speed[i].speedup;
    return tier;
}

static const struct lab_stage *find_previous(const struct lab *lab, const struct lab_stage *stage)
{
    if (stage->previous)
        return lab_find_stage(lab, stage->previous);
    return stage > lab->stages ? stage - 1 : NULL;
}

/* ------------------------------------------------------------------------------------------- measuring */

/* A step whose results are wrong in this slot earns nothing in it, however fast. */
static bool is_wrong(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->ncases; i++) {
        if (!verdict->cases[i].is_right)
            return true;
    }
    return false;
}

static void decide(struct separation *row)
{
    const struct verdict_time *own = &row->own->time, *other = &row->other->time;
    row->told_by = is_wrong(row->other) ? "results" : "time";
    if (*row->own->failure || *row->other->failure)
        row->flaw = *row->own->failure ? row->own->failure : row->other->failure;
    else if (!own->is_known)
        row->flaw = "the solution was not timed";
    else if (!other->is_known && !is_wrong(row->other))
        row->flaw = "the previous step was not timed";
    else if (own->speedup < row->tier * (1 + MARGIN))
        row->flaw = "the solution clears the tier too narrowly";
    else if (other->is_known && other->speedup > row->tier * (1 - MARGIN))
        row->flaw = "the previous step comes too close to the tier";
    row->is_apart = !row->flaw;
}

static bool measure(struct grading *grading, struct separation *row)
{
    bool is_on_gpu = grading->backend == SCORE_GPU;
    struct stages_question question = {.stage = row->stage, .is_on_gpu = is_on_gpu, .has_no_check = true};
    row->own = stages_ask(grading, &question);
    question.slot = row->previous->id;
    row->other = row->own ? stages_ask(grading, &question) : NULL;
    if (row->other && row->tier > 0)
        decide(row);
    return row->other != NULL;
}

/* ------------------------------------------------------------------------------------------- the table */

static void put_speedup(const struct verdict *verdict)
{
    if (verdict && verdict->time.is_known)
        printf(" %8.2fx", verdict->time.speedup);
    else
        printf(" %9s", "-");
}

static void put_row(const struct separation *row)
{
    printf("%-14s %8.2fx", row->stage->id, row->tier);
    put_speedup(row->own);
    put_speedup(row->other);
    printf("  %-14s %-9s %s%s%s\n", row->previous->id, row->told_by, row->is_apart ? "apart" : "NOT APART",
           row->flaw ? ": " : "", row->flaw ? row->flaw : "");
    fflush(stdout);
}

/* What stood in the stage's slot, and how long it took; null: its results are wrong, so it was not timed. */
static void put_times(const struct lab_stage *stage, const struct lab_stage *slot,
                      const struct verdict *verdict)
{
    const struct verdict_time *time = &verdict->time;
    printf("    {\"stage\": \"%s\", \"slot\": \"%s\", \"is_given\": %s, \"baseline\": \"%s\", ", stage->id,
           slot->id, slot->is_given ? "true" : "false", stage->baseline);
    if (time->is_known)
        printf("\"baseline_us\": %.3f, \"time_us\": %.3f, \"speedup\": %.4f, \"limiter\": \"%s\"}",
               time->baseline_us, time->student_us, time->speedup, time->limiter);
    else
        printf("\"baseline_us\": null, \"time_us\": null, \"speedup\": null, \"limiter\": null}");
}

static void put_both(const struct separation *row)
{
    put_times(row->stage, row->stage, row->own);
    printf(",\n");
    put_times(row->stage, row->previous, row->other);
}

struct tally {
    int rows, failures;
};

static bool check_stage(struct grading *grading, const struct lab_stage *stage, struct tally *tally)
{
    const bool is_json = grading->session->options->is_json;
    struct separation row = {.stage = stage, .tier = last_tier(stage)};
    row.previous = find_previous(grading->session->lab, stage);
    if (stage->is_given || !row.previous || (row.tier == 0 && !is_json))
        return true;
    bool is_done = measure(grading, &row);
    if (is_done && is_json)
        printf("%s", tally->rows ? ",\n" : "\n");
    if (is_done)
        (is_json ? put_both : put_row)(&row);
    tally->rows += is_done;
    tally->failures += is_done && row.tier > 0 && !row.is_apart;
    verdict_free(row.own);
    verdict_free(row.other);
    return is_done;
}

static void put_heading(const struct session *session)
{
    const char *gpu = session->has_gpu ? session->gpu : session->model;
    if (session->options->is_json) {
        printf("{\"lab\": \"%s\", \"gpu\": \"%s\", \"is_virtual\": %s, \"times\": [", session->lab->id, gpu,
               session->has_gpu ? "false" : "true");
        return;
    }
    printf("%s on %s%s, margin %.0f %%\n\n", session->lab->id, session->has_gpu ? "" : "the virtual GPU as ",
           gpu, 100 * MARGIN);
    printf("%-14s %9s %9s %9s  %-14s %-9s\n", "stage", "tier", "solution", "previous", "which is", "told by");
}

static void put_end(const struct session *session, int failures)
{
    if (session->options->is_json)
        printf("\n], \"is_apart\": %s}\n", failures ? "false" : "true");
    else
        printf("\n%s\n", failures ? "Not every threshold tells its step from the one before."
                                  : "Every threshold holds.");
}

static bool check_all(struct grading *grading, struct tally *tally)
{
    const struct session *session = grading->session;
    const char *flaw = lab_find_flaw(session->lab);
    const struct lab_stage *only =
        session->options->stage ? lab_find_stage(session->lab, session->options->stage) : NULL;
    if (flaw)
        fprintf(session->options->is_json ? stderr : stdout, "The table has a flaw: %s\n", flaw);
    tally->failures += flaw != NULL;
    put_heading(session);
    for (int i = 0; i < session->lab->nstages && !sandbox_is_stopped(); i++) {
        const struct lab_stage *stage = &session->lab->stages[i];
        if ((!only || stage == only) && !check_stage(grading, stage, tally))
            return false;
    }
    return !sandbox_is_stopped();
}

enum outcome separate_run(struct session *session)
{
    char source[GRADE_PATH + 600];
    struct tally tally = {0};
    struct grading grading = {.is_for_check = true};
    if (session->options->file)
        snprintf(source, sizeof source, "%s", session->options->file);
    else
        snprintf(source, sizeof source, "%s/solutions/%s/%s.cu", session->kit.root, session->entry->folder,
                 session->entry->id);
    grade_submission(&grading, session, source);
    bool is_done = !grading.trouble && check_all(&grading, &tally);
    if (grading.trouble)
        fprintf(stderr, "grade: the solution cannot be used: %s\n", grading.trouble);
    else if (is_done)
        put_end(session, tally.failures);
    grading_free(&grading);
    return !is_done ? OUTCOME_OURS : tally.failures ? OUTCOME_STUDENT : OUTCOME_GRADED;
}
