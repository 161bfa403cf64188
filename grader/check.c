/* check.c - `./grade check lab3`: is the lab sound? For instructors who write a lab or change its table, and for tests.
 * The kernel of every step of the solution is put into the slot of every stage and judged there as a student's would be. From
 * that matrix of points follows what an author got wrong, each with what to change: a solution that is not right or not
 * clean, counters that do not exist, bounds that the step before meets already, tiers without margins, and steps that earn
 * points in slots whose step they do not make. A flaw of the table itself is found before, by lab_find_flaw().
 * Times are those of the GPU at hand, or of the virtual one. Where a row does not say that its tiers are apart on the virtual GPU
 * that was asked for, points come from the reference's clock, as in a grading, and tiers that are not apart are no flaw. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/busy.h"

#define MARGIN 0.15

/* What one step's function got in one slot. */
struct entry {
    struct stages_cell cell;
    struct verdict_time
        here;           /* on the GPU that was asked for; the verdict has that of the clock that decides */
    struct score score; /* zero where there is no verdict */
};

/* One slot: a stage with points, and what every step got in it. */
struct column {
    const struct lab_stage *stage, *previous;
    struct entry entries[GRADE_STAGES]; /* by the steps' rows */
    double tier, first_tier;            /* the highest and the lowest; 0: none */
    const char *flaw;                   /* of the tier; NULL: none */
};

struct checking {
    struct grading *grading;
    const struct lab *lab;
    struct column *columns;
    int ncolumns;
    char *problems[200]; /* sentences */
    int nproblems;
};

static struct entry *own_entry(const struct checking *checking, struct column *column)
{
    return &column->entries[column->stage - checking->lab->stages];
}

static struct entry *previous_entry(const struct checking *checking, struct column *column)
{
    return column->previous ? &column->entries[column->previous - checking->lab->stages] : NULL;
}

__attribute__((format(printf, 3, 4))) static void
complain(struct checking *checking, const struct lab_stage *stage, const char *format, ...)
{
    char what[900], *text = NULL;
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (checking->nproblems < LAB_COUNT(checking->problems) &&
        asprintf(&text, "%s: %s", stage->id, what) >= 0)
        checking->problems[checking->nproblems++] = text;
}

/* ------------------------------------------------------------------------------------------- filling the matrix */

static bool is_timed(const struct entry *entry)
{
    return entry->here.is_known;
}

static bool is_right(const struct entry *entry)
{
    return entry->cell.verdict && verdict_is_right(entry->cell.verdict);
}

/* A given kernel that no step builds on is there to be looked at: slots are for steps. */
static bool is_step(const struct lab *lab, const struct lab_stage *stage)
{
    bool is_followed = false;
    for (int i = 0; i < lab->nstages; i++)
        is_followed = is_followed || lab_previous(lab, &lab->stages[i]) == stage;
    return is_followed || !stage->is_given;
}

/* On a GPU: what the thresholds' table shows, and whatever a time may earn points for. A virtual one's judge has timed what it
 * found right. */
static bool is_worth_measuring(const struct checking *checking, const struct column *column,
                               const struct entry *entry)
{
    const struct lab_stage *step = entry->cell.step;
    const bool is_shown = step == column->stage || step == column->previous;
    return checking->grading->backend == SCORE_GPU && is_right(entry) && (is_shown || column->tier > 0);
}

static void score_entry(struct checking *checking, const struct column *column, struct entry *entry)
{
    if (is_worth_measuring(checking, column, entry))
        stages_measure_cell(checking->grading, &entry->cell, NULL);
    if (entry->cell.verdict)
        entry->here = entry->cell.verdict->time;
    if (is_right(entry) && is_timed(entry) && !stages_are_apart(checking->grading->session, column->stage))
        stages_measure_cell(checking->grading, &entry->cell, REFERENCE_GPU);
    if (entry->cell.verdict)
        score_stage(checking->lab, column->stage, entry->cell.verdict, &entry->score);
}

static const struct lab_stage *first_of_chain(const struct lab *lab, const struct lab_stage *stage)
{
    for (const struct lab_stage *before; (before = lab_previous(lab, stage));)
        stage = before;
    return stage;
}

/* Steps of another chain on other data have nothing to do in a slot: their parameters may even be of other types. */
static bool fits(const struct lab *lab, const struct lab_stage *step, const struct lab_stage *stage)
{
    return step->layout == stage->layout || first_of_chain(lab, step) == first_of_chain(lab, stage);
}

static double last_tier(const struct lab_stage *stage)
{
    double tier = 0;
    for (int i = 0; i < LAB_TIERS && stage->speed[i].points; i++)
        tier = stage->speed[i].speedup;
    return tier;
}

static bool fill_column(struct checking *checking, const struct lab_stage *stage)
{
    struct stages_cell cells[GRADE_STAGES] = {{0}};
    struct column *column = &checking->columns[checking->ncolumns++];
    const struct lab *lab = checking->lab;
    int steps = 0;
    column->stage = stage;
    column->previous = lab_previous(lab, stage);
    column->tier = last_tier(stage);
    column->first_tier = stage->speed[0].speedup;
    for (int i = 0; i < lab->nstages; i++)
        if (is_step(lab, &lab->stages[i]) && fits(lab, &lab->stages[i], stage))
            cells[steps++] = (struct stages_cell){.stage = stage, .step = &lab->stages[i]};
    busy_about("%s", stage->id);
    busy_doing("%d kernels in its slot", steps);
    const bool is_done = stages_fill_cells(checking->grading, cells, steps);
    for (int i = 0; i < steps; i++)
        column->entries[cells[i].step - lab->stages].cell = cells[i];
    for (int i = 0; is_done && i < lab->nstages && !sandbox_is_stopped(); i++)
        if (column->entries[i].cell.step)
            score_entry(checking, column, &column->entries[i]);
    return is_done && !sandbox_is_stopped();
}

static bool fill_matrix(struct checking *checking)
{
    const struct lab *lab = checking->lab;
    checking->columns = calloc((size_t)lab->nstages, sizeof *checking->columns);
    for (int i = 0; checking->columns && i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        if (!stage->is_given && session_wants(checking->grading->session, stage) &&
            !fill_column(checking, stage))
            return false;
    }
    return checking->columns != NULL;
}

static void free_matrix(struct checking *checking)
{
    for (int i = 0; i < checking->ncolumns; i++)
        for (int k = 0; k < checking->lab->nstages; k++)
            verdict_free(checking->columns[i].entries[k].cell.verdict);
    for (int i = 0; i < checking->nproblems; i++)
        free(checking->problems[i]);
    free(checking->columns);
}

/* ------------------------------------------------------------------------------------------- the solution */

/* The kit failed: nothing can be said about the lab. */
static void check_failures(struct checking *checking, struct column *column)
{
    for (int i = 0; i < checking->lab->nstages; i++) {
        const struct stages_cell *cell = &column->entries[i].cell;
        if (cell->verdict && cell->verdict->failure[0])
            complain(checking, column->stage, "the kernel of %s could not be judged: %s", cell->step->id,
                     cell->verdict->failure);
    }
}

static void describe_fault(const struct checking *checking, const struct column *column,
                           const struct lab_outcome *fault, char *out, size_t size)
{
    char name[300];
    grading_describe_case(checking->lab, column->stage, fault->which, checking->grading->seed, name,
                          sizeof name);
    snprintf(out, size, "with %s: %.500s", name, fault->text);
}

static const struct verdict_message *find_finding(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        if (verdict_is_finding(&verdict->messages[i]))
            return &verdict->messages[i];
    return NULL;
}

static void check_solution(struct checking *checking, struct column *column)
{
    const struct entry *own = own_entry(checking, column);
    const struct verdict *verdict = own->cell.verdict;
    char fault[900];
    if (!verdict) {
        complain(checking, column->stage, "the solution's entry point did not come to its end: %s",
                 own->cell.trouble);
    } else if (!own->score.is_right && own->score.fault) {
        describe_fault(checking, column, own->score.fault, fault, sizeof fault);
        complain(checking, column->stage,
                 "the solution is not right %s. Mend the solution, or the driver's reference", fault);
    } else if (!own->score.is_right) {
        complain(checking, column->stage, "the solution was not judged");
    }
    const struct verdict_message *finding = verdict ? find_finding(verdict) : NULL;
    if (finding)
        complain(checking, column->stage, "the solution is not clean: %s (%s). Mend the solution",
                 finding->title, finding->place);
}

/* ------------------------------------------------------------------------------------------- bounds */

/* The judge knows which counters there are. */
static void check_names(struct checking *checking, struct column *column)
{
    const struct verdict *verdict = own_entry(checking, column)->cell.verdict;
    for (int i = 0; i < LAB_BOUNDS && verdict && verdict->ncounters; i++) {
        const struct lab_bound *bound = &column->stage->bounds[i];
        const char *const names[] = {bound->counter, bound->minus, bound->per};
        for (int k = 0; k < LAB_COUNT(names); k++)
            if (names[k] && !verdict_counter(verdict, names[k]))
                complain(checking, column->stage,
                         "there is no counter `%s`. common/vgpu/core/counters.def and common/lab/lab.h name "
                         "those that there are",
                         names[k]);
    }
}

static void check_goals(struct checking *checking, struct column *column)
{
    const struct score *own = &own_entry(checking, column)->score;
    const struct entry *previous = previous_entry(checking, column);
    for (int i = 0; i < LAB_BOUNDS && own->is_right && own->bounds[i].bound; i++)
        if (own->bounds[i].is_known && !own->bounds[i].holds)
            complain(checking, column->stage,
                     "the solution misses a bound: %s is %.4g. Widen it, or mend the solution",
                     own->bounds[i].bound->meaning, own->bounds[i].value);
    if (column->stage->bounds[0].counter && previous && previous->score.is_right &&
        previous->score.has_concept)
        complain(checking, column->stage,
                 "its bounds hold for the kernel of %s too, the step before: they prove nothing. Tighten "
                 "one, or add one that tells the two apart",
                 column->previous->id);
}

/* ------------------------------------------------------------------------------------------- tiers */

static const char *find_tier_flaw(const struct column *column, const struct entry *own,
                                  const struct entry *other)
{
    if (!is_timed(own))
        return "the solution was not timed";
    if (other && is_right(other) && !is_timed(other))
        return "the previous step was not timed";
    if (own->here.speedup < column->tier * (1 + MARGIN))
        return "the solution clears the tier too narrowly";
    if (other && is_timed(other) && other->here.speedup > column->first_tier * (1 - MARGIN))
        return "the previous step comes too close to the first tier";
    return NULL;
}

/* Between the step before and the solution, with the margins taken off. */
static void advise_tier(struct checking *checking, const struct column *column, const struct entry *own,
                        const struct entry *other)
{
    const double low = other && is_timed(other) ? other->here.speedup / (1 - MARGIN) : 0;
    const double high = is_timed(own) ? own->here.speedup / (1 + MARGIN) : 0;
    if (low < high)
        complain(checking, column->stage, "%s. A tier from %.2f to %.2f would leave %.0f %% on both sides",
                 column->flaw, low, high, 100 * MARGIN);
    else
        complain(checking, column->stage,
                 "%s. No tier leaves %.0f %% on both sides: give its points to the concept, and let a "
                 "counter prove the step",
                 column->flaw, 100 * MARGIN);
}

static void check_tier(struct checking *checking, struct column *column)
{
    struct entry *own = own_entry(checking, column), *other = previous_entry(checking, column);
    column->flaw = column->tier > 0 ? find_tier_flaw(column, own, other) : NULL;
    if (column->flaw && stages_are_apart(checking->grading->session, column->stage))
        advise_tier(checking, column, own, other);
}

/* ------------------------------------------------------------------------------------------- points */

/* Points of a stage are for its step: of all kernels that do not contain it, none earns more than a quarter. */
static void check_points(struct checking *checking, struct column *column)
{
    const struct lab *lab = checking->lab;
    const struct score *own = &own_entry(checking, column)->score;
    const int most = lab_stage_points(column->stage);
    if (own->is_right && own->all.points < most)
        complain(checking, column->stage, "the solution earns %d of %d points", own->all.points, most);
    for (int i = 0; i < lab->nstages; i++) {
        const struct lab_stage *step = &lab->stages[i];
        const int points = column->entries[i].score.all.points;
        if (points <= most / SCORE_WITHOUT_STEP || lab_contains(lab, step, column->stage))
            continue;
        const bool is_earlier = lab_contains(lab, column->stage, step);
        complain(checking, column->stage,
                 "the kernel of %s, %s step, earns %d of %d points here, more than a quarter. Ask for more "
                 "in a bound or a tier%s",
                 step->id, is_earlier ? "an earlier" : "another", points, most,
                 is_earlier ? "" : ", or say in its row that it contains this step (.contains)");
    }
}

static void check_all(struct checking *checking)
{
    static void (*const rules[])(struct checking *, struct column *) = {
        check_failures, check_solution, check_names, check_goals, check_tier, check_points};
    for (int i = 0; i < checking->ncolumns; i++)
        for (int k = 0; k < LAB_COUNT(rules); k++)
            rules[k](checking, &checking->columns[i]);
}

/* ------------------------------------------------------------------------------------------- as text */

static int column_width(const struct column *column)
{
    const int length = (int)strlen(column->stage->id);
    return length > 3 ? length : 3;
}

static void put_matrix(const struct checking *checking)
{
    printf("points that the kernel of each step earns in each slot\n%-12s", "");
    for (int i = 0; i < checking->ncolumns; i++)
        printf(" %*s", column_width(&checking->columns[i]), checking->columns[i].stage->id);
    for (int k = 0; k < checking->lab->nstages; k++) {
        if (!is_step(checking->lab, &checking->lab->stages[k]))
            continue;
        printf("\n%-12s", checking->lab->stages[k].id);
        for (int i = 0; i < checking->ncolumns; i++)
            printf(" %*d", column_width(&checking->columns[i]),
                   checking->columns[i].entries[k].score.all.points);
    }
    printf("\n\n");
}

static void put_speedup(const struct entry *entry)
{
    if (entry && is_timed(entry))
        printf(" %8.2fx", entry->here.speedup);
    else
        printf(" %9s", "-");
}

static void put_tier(const struct checking *checking, struct column *column)
{
    const struct entry *own = own_entry(checking, column), *other = previous_entry(checking, column);
    const char *told_by = !other ? "-" : is_right(other) ? "time" : "results";
    printf("%-14s %8.2fx", column->stage->id, column->tier);
    put_speedup(own);
    put_speedup(other);
    printf("  %-14s %-9s %s%s%s\n", column->previous ? column->previous->id : "-", told_by,
           column->flaw ? "NOT APART" : "apart", column->flaw ? ": " : "", column->flaw ? column->flaw : "");
}

static void put_tiers(const struct checking *checking)
{
    bool has_tier = false;
    for (int i = 0; i < checking->ncolumns; i++) {
        if (checking->columns[i].tier == 0)
            continue;
        if (!has_tier)
            printf("thresholds, margin %.0f %%\n%-14s %9s %9s %9s  %-14s %-9s\n", 100 * MARGIN, "stage",
                   "tier", "solution", "previous", "which is", "told by");
        has_tier = true;
        put_tier(checking, &checking->columns[i]);
    }
    printf("%s", has_tier ? "\n" : "");
}

/* Of the tiers that another clock decides about, those that are apart here, or those that are not. */
static void put_elsewhere(const struct checking *checking, bool is_apart, const char *sentence)
{
    const struct session *session = checking->grading->session;
    bool is_first = true;
    for (int i = 0; i < checking->ncolumns; i++) {
        const struct column *column = &checking->columns[i];
        if (column->tier == 0 || stages_are_apart(session, column->stage) || !column->flaw != is_apart)
            continue;
        printf("%s%s", is_first ? "" : ", ", column->stage->id);
        is_first = false;
    }
    if (!is_first)
        printf(sentence, session->model);
}

static void put_text(const struct checking *checking)
{
    const struct session *session = checking->grading->session;
    printf("%s on %s%s\n\n", session->lab->id, session->has_gpu ? "" : "the virtual GPU as ",
           session->has_gpu ? session->gpu : session->model);
    put_matrix(checking);
    put_tiers(checking);
    put_elsewhere(checking, false,
                  ": not apart on the %s. Grades take the " REFERENCE_GPU "'s clock there.\n");
    put_elsewhere(
        checking, true,
        ": apart on the %s. Their rows may say so (.apart_on); until then grades take the " REFERENCE_GPU
        "'s clock there.\n");
    for (int i = 0; i < checking->nproblems; i++)
        printf("- %s.\n", checking->problems[i]);
    if (checking->nproblems)
        printf("%d thing%s to mend.\n", checking->nproblems, checking->nproblems == 1 ? "" : "s");
    else
        printf("Nothing to mend.\n");
}

/* ------------------------------------------------------------------------------------------- as JSON
 * A line for each time, for those who read it with awk. */

/* What stood in the stage's slot, and how long it took; null: its results are wrong, so it was not timed. */
static void put_times(struct json *json, const struct checking *checking, const struct entry *entry)
{
    const struct lab_stage *stage = entry->cell.stage, *step = entry->cell.step;
    const struct verdict_time *time = &entry->here;
    json_line(json);
    json_object(json, NULL);
    json_text(json, "stage", stage->id);
    json_text(json, "slot", step->id);
    json_bool(json, "is_given", step->is_given);
    json_text(json, "baseline", lab_baseline(checking->lab, stage));
    json_fixed(json, "baseline_us", time->is_known ? time->baseline_us : (double)NAN, 3);
    json_fixed(json, "time_us", time->is_known ? time->student_us : (double)NAN, 3);
    json_fixed(json, "speedup", time->is_known ? time->speedup : (double)NAN, 4);
    if (time->is_known)
        json_text(json, "limiter", time->limiter);
    else
        json_null(json, "limiter");
    json_end_object(json);
}

static void put_all_times(struct json *json, const struct checking *checking)
{
    json_list(json, "times");
    for (int i = 0; i < checking->ncolumns; i++) {
        struct column *column = &checking->columns[i];
        if (!column->previous || !lab_baseline(checking->lab, column->stage))
            continue;
        put_times(json, checking, own_entry(checking, column));
        put_times(json, checking, previous_entry(checking, column));
    }
    json_end_list(json);
}

static void put_points(struct json *json, const struct checking *checking, int row)
{
    json_line(json);
    json_object(json, NULL);
    json_text(json, "step", checking->lab->stages[row].id);
    json_object(json, "points");
    for (int i = 0; i < checking->ncolumns; i++)
        json_integer(json, checking->columns[i].stage->id,
                     checking->columns[i].entries[row].score.all.points);
    json_end_object(json);
    json_end_object(json);
}

static void put_json(const struct checking *checking)
{
    const struct session *session = checking->grading->session;
    struct json json = {.file = stdout};
    bool is_apart = true;
    for (int i = 0; i < checking->ncolumns; i++)
        is_apart = is_apart && !checking->columns[i].flaw;
    json_object(&json, NULL);
    json_text(&json, "lab", session->lab->id);
    json_text(&json, "gpu", session->has_gpu ? session->gpu : session->model);
    json_bool(&json, "is_virtual", !session->has_gpu);
    put_all_times(&json, checking);
    json_line(&json);
    json_list(&json, "matrix");
    for (int k = 0; k < checking->lab->nstages; k++)
        if (is_step(checking->lab, &checking->lab->stages[k]))
            put_points(&json, checking, k);
    json_end_list(&json);
    json_list(&json, "problems");
    for (int i = 0; i < checking->nproblems; i++)
        json_text(&json, NULL, checking->problems[i]);
    json_end_list(&json);
    json_bool(&json, "is_apart", is_apart);
    json_end_object(&json);
    printf("\n");
}

/* ------------------------------------------------------------------------------------------- the command */

enum outcome check_run(struct session *session)
{
    char source[GRADE_PATH + 600];
    struct grading grading = {.is_for_check = true};
    struct checking checking = {.grading = &grading, .lab = session->lab};
    if (session->options->file)
        snprintf(source, sizeof source, "%s", session->options->file);
    else
        snprintf(source, sizeof source, "%s/solutions/%s/%s.cu", session->kit.root, session->entry->folder,
                 session->entry->id);
    grade_submission(&grading, session, source);
    const bool is_done = !grading.trouble && fill_matrix(&checking);
    if (is_done) {
        check_all(&checking);
        (session->options->is_json ? put_json : put_text)(&checking);
    } else if (grading.trouble) {
        fprintf(stderr, "grade: the solution cannot be used: %s\n", grading.trouble);
    }
    const bool has_problems = checking.nproblems > 0;
    free_matrix(&checking);
    grading_free(&grading);
    return !is_done ? OUTCOME_OURS : has_problems ? OUTCOME_STUDENT : OUTCOME_GRADED;
}
