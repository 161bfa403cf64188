/* report_text.c - what a student sees: each stage as it ends, its points, what is wrong and the next thing to do.
 * Lines stay within the terminal, 100 columns at most, 80 where there is none; put.h sees to that. Decides nothing about
 * points. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/wrap.h"
#include "grader/busy.h"
#include "grader/history.h"
#include "grader/place.h"
#include "grader/put.h"

enum { INDENT = 6, MOST_TEXT_LINES = 12, MOST_WARNING_LINES = 12 };

/* ------------------------------------------------------------------------------------------- a stage's parts */

static void put_points(const struct stage_result *result)
{
    const struct score_part *all = &result->score.all;
    enum paint with = all->points == all->most ? GREEN : all->points ? YELLOW : RED;
    painted(with, "%3d/%-3d", all->points, all->most);
}

static void put_speed(const struct stage_result *result)
{
    const struct score *score = &result->score;
    char speedup[32];
    if (!score->has_speedup)
        return;
    lab_write_times(score->speedup, speedup, sizeof speedup);
    printf(", %s%s", score->is_ended ? "below " : "", speedup);
    if (result->here.is_known)
        printf(" as an " REFERENCE_GPU);
    if (score->speed.most)
        printf(" (%s %.2fx)", score->misses_tier ? "needs" : "needed", score->needed);
    else if (score->is_too_slow)
        printf(" (needs %.2fx)", score->slowest);
}

/* Memory has nothing to do with the time, so its share says nothing. */
static bool is_computing(const struct verdict *verdict)
{
    static const char *const limiters[] = {"issue", "fp32", "int", "imul", "fp64", "fp16", "sfu", "shuffle"};
    for (size_t i = 0; i < sizeof limiters / sizeof *limiters; i++) {
        if (strcmp(verdict->time.limiter, limiters[i]) == 0)
            return true;
    }
    return false;
}

/* How fast it is, on the scale of build/lab3. The row above has the speedup's number. */
static void put_scale(const struct grading *grading, const struct stage_result *result)
{
    struct lab_scale scale;
    char text[300];
    if (!result->score.is_right || result->score.is_ended || !grading_find_scale(grading, result, &scale))
        return;
    scale.is_told = true;
    if (is_computing(result->verdict) && scale.attainable && strcmp(scale.unit, "GB/s") == 0)
        scale.unit = NULL;
    lab_write_scale(&scale, text, sizeof text);
    put_words(INDENT, "%s%s", result->here.is_known ? "As an " REFERENCE_GPU ": " : "", text);
}

/* A step that gained no time has all its points where they are for counters: that it lost some is said. */
static void put_slower(const struct grading *grading, const struct stage_result *result)
{
    const struct lab *lab = grading->session->lab;
    const struct lab_stage *before = lab_previous(lab, result->stage);
    const double hardly = 0.95; /* within what measurements differ by */
    struct lab_scale scale;
    if (!before || result->score.all.points < result->score.all.most ||
        !grading_find_scale(grading, result, &scale))
        return;
    const bool is_over_given = before->is_given && scale.base && !strcmp(scale.base, before->id);
    const double gain = scale.gain > 0 ? scale.gain : is_over_given ? scale.speedup : 0;
    if (gain > 0 && gain < hardly)
        put_words(INDENT,
                  "Slower than stage %d (%s), %.2fx: all points, for they are not for time here. What limits "
                  "it: ./grade explain %s.%d",
                  (int)(before - lab->stages) + 1, before->id, gain, lab->id, result->row);
}

/* Another GPU's clock has decided about the speed. */
static void put_clock(const struct grading *grading, const struct stage_result *result)
{
    if (result->here.is_known && result->score.has_speedup)
        put_words(INDENT,
                  "On the %s it is %.2fx, %.2f us. There the thresholds are not known to tell this step from "
                  "the one before, so the clock of an " REFERENCE_GPU " decides.",
                  grading->session->model, result->here.speedup, result->here.student_us);
}

const char *report_verdict(enum lab_symptom symptom)
{
    static const char *const words[LAB_SYMPTOMS] = {[LAB_MISSING] = "missing",
                                                    [LAB_UNCARRIED] = "cannot be replayed",
                                                    [LAB_LIMIT] = "stopped by a limit of the kit",
                                                    [LAB_LIBRARY] = "a library does the work",
                                                    [LAB_NO_LAUNCH] = "launches nothing",
                                                    [LAB_LAUNCH] = "a call was refused",
                                                    [LAB_FAULT] = "out of bounds",
                                                    [LAB_MISALIGNED] = "misaligned access",
                                                    [LAB_STOPPED] = "stopped",
                                                    [LAB_PRINTS] = "prints too much",
                                                    [LAB_ENDLESS] = "does not end",
                                                    [LAB_DEADLOCK] = "deadlock",
                                                    [LAB_BARRIER] = "divergent barrier",
                                                    [LAB_LANES] = "lanes missing",
                                                    [LAB_UNTOUCHED] = "writes nothing",
                                                    [LAB_RACE] = "race",
                                                    [LAB_LOST] = "conflicting writes",
                                                    [LAB_BLOCKS] = "depends on the order of blocks",
                                                    [LAB_STREAMS] = "depends on the order of streams",
                                                    [LAB_UNINITIALISED] = "uninitialised read",
                                                    [LAB_PARTLY] = "elements not written",
                                                    [LAB_EDGE] = "wrong at the edge",
                                                    [LAB_HOST_READ] = "computed on the host",
                                                    [LAB_WRONG] = "wrong result",
                                                    [LAB_LEAK] = "leak",
                                                    [LAB_CONCEPT] = "concept missed",
                                                    [LAB_SLOW] = "too slow"};
    return words[symptom] ? words[symptom] : "";
}

/* How a stage is wrong, in a word or two; what it is not, and why, comes below. */
static const char *words_for_wrong(const struct stage_result *result)
{
    const enum lab_symptom symptom = result->score.symptom;
    bool is_missing = false;
    if (result->trouble && symptom != LAB_LIMIT)
        return "did not run";
    if (result->score.fault && lab_is_about_answers(result->score.fault->text, &is_missing) && is_missing)
        return "not given yet";
    const bool is_running = symptom > LAB_LAUNCH && symptom != LAB_UNTOUCHED;
    return is_running || symptom == LAB_NO_SYMPTOM ? "wrong" : report_verdict(symptom);
}

/* What the row of a stage says behind its points. */
static void put_summary(const struct stage_result *result)
{
    const struct score *score = &result->score;
    if (!score->is_right) {
        printf(" %s\n", words_for_wrong(result));
        return;
    }
    printf(" right%s", score->clean.most == 0 ? "" : score->is_clean ? ", clean" : ", not clean");
    if (score->concept.most)
        printf(", %s", score->has_concept                       ? "concept"
                       : score->meets_bounds || score->is_ended ? "too slow"
                                                                : "concept missed");
    put_speed(result);
    putchar('\n');
}

/* The text, with places in the submission as editors look for them. NULL: out of memory. */
static char *place(const struct grading *grading, const char *text)
{
    return place_text(text, grading->shown, grading_path(grading));
}

void report_put_places(const struct grading *grading, const char *text, int indent, int most_lines)
{
    static const char speaker[] = "vgpu: ";
    const bool is_spoken = strncmp(text, speaker, sizeof speaker - 1) == 0;
    char *placed = place(grading, text + (is_spoken ? sizeof speaker - 1 : 0));
    put_text(placed ? placed : text, indent, most_lines);
    free(placed);
}

void report_put_finding(const struct grading *grading, const char *found, bool has_cause, int indent,
                        int most_lines)
{
    char *text = strdup(found);
    char *cause = text && !has_cause ? strcasestr(text, "likely cause: ") : NULL;
    while (cause && cause > text && (cause[-1] == ' ' || cause[-1] == '\n'))
        cause--;
    if (cause)
        *cause = '\0';
    report_put_places(grading, text ? text : found, indent, most_lines);
    free(text);
}

/* How often the stage alone was graded without success, each time with another file: who has tried is helped without asking. */
static bool has_tried(const struct grading *grading, const struct lab_stage *stage)
{
    enum { ENOUGH = 2 };
    char path[GRADE_PATH];
    struct history history;
    const char *before = "";
    int tries = 0;
    snprintf(path, sizeof path, "%s/%s.history", grading->session->kit.results, grading->session->lab->id);
    if (!history_load(&history, path))
        return false;
    for (int i = 0; i < history.count; i++) {
        const struct history_attempt *one = &history.list[i];
        if (one->nstages != 1 || strcmp(one->stages[0].id, stage->id) != 0 ||
            one->stages[0].points == one->stages[0].most || strcmp(one->hash, before) == 0)
            continue;
        before = one->hash;
        tries++;
    }
    history_free(&history);
    return tries >= ENOUGH;
}

/* A platform's report is the only one that its reader gets. */
static bool holds_hint(const struct grading *grading, const struct stage_result *result)
{
    const struct options *options = grading->session->options;
    return result->stage->is_hunt && *result->score.hint && !options->is_verbose && !options->form &&
           !(options_are_for_points(options) && has_tried(grading, result->stage));
}

/* A case in which something went wrong, for build/lab3. What goes wrong in all of them needs none. */
static void put_replay(const struct grading *grading, const struct stage_result *result)
{
    char command[300];
    bool is_missing;
    const struct lab_outcome *fault = result->score.fault;
    if (fault && (lab_is_about_answers(fault->text, &is_missing) || fault->symptom == LAB_MISSING ||
                  fault->symptom == LAB_NO_LAUNCH || fault->symptom == LAB_UNTOUCHED))
        return;
    grading_write_replay(grading, result, score_told_case(&result->score), command, sizeof command);
    if (*command)
        put_words(INDENT, "By hand: %s%s", command,
                  grading->session->has_gpu ? " (make it with VIRTUAL=1)" : "");
}

/* "With width 1, height 1: out[0] is ...". What is said of a line of the file has a line of its own. */
static void put_case(const struct grading *grading, const char *name, const char *text, const char *known)
{
    const char *with = *name ? "With " : "", *colon = *name ? ":" : "", *also = *known ? ": " : "";
    if (!place_is_first(text, grading->shown)) {
        const char first = *name ? *text : (char)toupper((unsigned char)*text);
        put_words(INDENT, "%s%s%s%s%.1s%s%s%s", with, name, colon, *name ? " " : "", (char[]){first, '\0'},
                  *text ? text + 1 : "", also, known);
        return;
    }
    char whole[1100]; /* both fields of a verdict_case, and more */
    snprintf(whole, sizeof whole, "%s%s%s", text, also, known);
    if (*name)
        put_words(INDENT, "%s%s%s", with, name, colon);
    report_put_places(grading, whole, INDENT, MOST_TEXT_LINES);
}

/* What went wrong, and with which input. Where a finding explains the case, it speaks for it. */
static void put_fault(const struct grading *grading, const struct stage_result *result, bool is_held)
{
    char name[300];
    const struct lab_outcome *fault = result->score.fault;
    const struct verdict_message *message = result->score.finding;
    if (result->trouble)
        report_put_places(grading, result->trouble, INDENT, MOST_TEXT_LINES);
    if (fault && fault->symptom != LAB_NO_LAUNCH) { /* of that one the row has said all */
        bool is_missing;
        const bool is_general =
            fault->symptom == LAB_MISSING || lab_is_about_answers(fault->text, &is_missing);
        bool is_explained = message && score_told_case(&result->score) == message->which &&
                            strstr(fault->text, message->title);
        bool is_told =
            fault->known[0] && !result->score.is_known && !(message && lab_says_why(message->text));
        grading_describe_case(grading->session->lab, result->stage, score_told_case(&result->score),
                              grading->seed, name, sizeof name);
        put_case(grading, is_general ? "" : name, is_explained ? "" : fault->text,
                 is_told ? fault->known : "");
    }
    if (message)
        report_put_finding(grading, message->text, !is_held, INDENT, MOST_TEXT_LINES);
    if (fault || message)
        put_replay(grading, result);
}

/* Occupancy is a share by itself. */
bool report_is_count(const struct lab_bound *bound)
{
    return !bound->per && strcmp(bound->counter, "occupancy") != 0;
}

/* Counts are whole numbers, however large; only quotients are rounded, and look like quotients: 32.0. */
void report_write_number(bool is_count, double value, char *out, size_t size)
{
    snprintf(out, size, is_count ? "%.0f" : "%.4g", value);
    if (!is_count && !strpbrk(out, ".en"))
        snprintf(out + strlen(out), size - strlen(out), ".0");
}

void report_write_goal(const struct lab_bound *bound, char *out, size_t size)
{
    const bool is_count = report_is_count(bound);
    char least[40], most[40];
    report_write_number(is_count, is_count ? ceil(bound->at_least) : bound->at_least, least, sizeof least);
    report_write_number(is_count, is_count ? floor(bound->at_most) : bound->at_most, most, sizeof most);
    if (bound->at_most == 0)
        snprintf(out, size, "%s or more", least);
    else if (bound->at_least == 0)
        snprintf(out, size, "%s%s", most, strcmp(most, "0") ? " or less" : "");
    else
        snprintf(out, size, "%s%s%s", least, strcmp(least, most) ? " to " : "",
                 strcmp(least, most) ? most : "");
}

static void put_bound(const struct score_bound *one)
{
    char now[40] = "not measured", goal[100];
    if (one->is_known)
        report_write_number(report_is_count(one->bound), one->value, now, sizeof now);
    report_write_goal(one->bound, goal, sizeof goal);
    put_words(INDENT, "%s: now %s, goal %s", one->bound->meaning, now, goal);
}

/* True if another row speaks for the same figure: of the rows about it the first that is missed, or the first where all hold. */
static bool has_other_goal(const struct score *score, int i)
{
    const struct score_bound *one = &score->bounds[i];
    for (int k = 0; k < LAB_BOUNDS && score->bounds[k].bound; k++) {
        const struct score_bound *other = &score->bounds[k];
        const bool is_graver = one->holds && !other->holds, is_alike = one->holds == other->holds;
        if (k != i && !strcmp(other->bound->meaning, one->bound->meaning) &&
            (is_graver || (is_alike && k < i)))
            return true;
    }
    return false;
}

/* Bounds that were missed; with -v, those that hold as well. */
static void put_bounds(const struct grading *grading, const struct score *score)
{
    if (!score->is_right || score->is_ended)
        return;
    for (int i = 0; i < LAB_BOUNDS && score->bounds[i].bound; i++) {
        const bool is_told = !score->bounds[i].holds || grading->session->options->is_verbose;
        if (is_told && !has_other_goal(score, i))
            put_bound(&score->bounds[i]);
    }
}

/* "the step from stage 2 (tiled)", or "any step beyond stage 2 (tiled)" where others lie between. */
static void write_step(const struct lab *lab, const struct stage_result *result, char *out, size_t size)
{
    const struct lab_stage *earlier = result->score.earlier;
    const bool is_next = earlier && earlier == lab_previous(lab, result->stage);
    if (earlier)
        snprintf(out, size, "%s stage %d (%s)", is_next ? "the step from" : "any step beyond",
                 (int)(earlier - lab->stages) + 1, earlier->id);
    else
        snprintf(out, size, "this step");
}

void report_write_slow(const struct lab *lab, const struct stage_result *result, char *out, size_t size)
{
    const struct score *score = &result->score;
    const char *base = lab_base(lab, result->stage);
    char now[32];
    lab_write_times(score->speedup, now, sizeof now);
    snprintf(out, size, "speedup over the kit's %s: now %s, needs %.2fx%s", base ? base : "own step", now,
             score->slowest, score->speed.most && score->meets_bounds ? " for its counters to count" : "");
}

/* Why a quarter is all, or why it costs points to be near. */
static void put_step(const struct grading *grading, const struct stage_result *result)
{
    const struct score *score = &result->score;
    const bool has_bounds = score->bounds[0].bound;
    const bool is_slow_step = score->is_too_slow && has_bounds && score->meets_bounds;
    char text[200];
    if (!score->is_right || score->all.points == score->all.most || !(score->is_earlier || is_slow_step))
        return;
    if (is_slow_step && score->is_earlier) {
        put_words(INDENT, "Right, and the counters are reached, but it is too slow for this step, so they do "
                          "not count: a quarter of the points at most.");
    } else if (is_slow_step) {
        put_words(INDENT, "Right, and the counters are reached, but it is a little too slow for this step, "
                          "which costs a part of the points.");
    } else {
        write_step(grading->session->lab, result, text, sizeof text);
        put_words(INDENT, "Right, but %s show %s: a quarter of the points at most.",
                  has_bounds ? "counters and time do not" : "its time does not", text);
    }
    if (is_slow_step) { /* else the counters say what to do, and the row how fast */
        report_write_slow(grading->session->lab, result, text, sizeof text);
        put_words(INDENT, "%s", text);
    }
}

/* Why a half is all. */
static void put_luck(const struct score *score)
{
    if (score->is_right && score->is_grave)
        put_words(
            INDENT,
            "Right by luck: on a GPU the finding above can hang, or change the result from run to run.%s",
            !score->all.points ? ""
            : score->goes_by_leftovers
                ? " What a kernel does must not depend on what memory held before: its concept and its "
                  "speed earn nothing."
                : " Such a stage earns a half of its points at most.");
}

static void put_hint(const struct stage_result *result)
{
    if (!*result->score.hint)
        return;
    paint(BOLD);
    put_marked("-> ", result->score.hint, INDENT, 1000);
    paint(PLAIN);
}

/* ------------------------------------------------------------------------------------------- more, with -v */

static void put_all_cases(const struct grading *grading, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    char name[300];
    for (uint32_t i = 0; i < verdict->ncases; i++) {
        const struct lab_outcome *one = &verdict->cases[i];
        grading_describe_case(grading->session->lab, result->stage, one->which, grading->seed, name,
                              sizeof name);
        put_words(INDENT, "%s %s%s%s%s%s", one->is_right ? "right:" : "wrong:", name, *one->text ? ": " : "",
                  one->text, *one->known ? ": " : "", one->known);
    }
}

static void put_all_counters(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->ncounters; i++) {
        if (verdict->counters[i].value != 0)
            printf("%*s%-28s %.10g\n", INDENT, "", verdict->counters[i].name, verdict->counters[i].value);
    }
}

static void put_times(const struct verdict *verdict)
{
    const struct verdict_time *time = &verdict->time;
    const double *kernels_us = verdict_counter(verdict, "time_us");
    if (!time->is_known)
        return;
    char spread[100] = "";
    if (time->samples > 1)
        snprintf(spread, sizeof spread, ", %u samples, speedup %.2f to %.2f", time->samples, time->low,
                 time->high);
    put_words(INDENT, "%s%.2f us, baseline %.2f us, %s %s%s%s%s", time->samples ? "" : "more than ",
              time->student_us, time->baseline_us, time->backend, time->gpu, spread,
              *time->limiter ? ", bound by " : "", time->limiter);
    if (kernels_us && *kernels_us > 0 && *kernels_us < time->student_us)
        put_words(
            INDENT,
            "time_us below is what its kernels take, on the virtual GPU; the rest are launches, copies and "
            "the host");
}

/* The same line under several titles, or in several cases, is one mistake: its gravest symptom speaks. */
static bool is_told_elsewhere(const struct verdict *verdict, uint32_t index)
{
    const struct verdict_message *one = &verdict->messages[index];
    for (uint32_t i = 0; i < verdict->nmessages; i++) {
        const struct verdict_message *other = &verdict->messages[i];
        const enum lab_symptom graver = lab_graver(one->symptom, other->symptom);
        if (i == index || !*one->place || strcmp(one->place, other->place) != 0)
            continue;
        if (one->symptom == other->symptom ? i < index : graver == other->symptom)
            return true;
    }
    return false;
}

static void put_details(const struct grading *grading, const struct stage_result *result)
{
    const struct verdict *verdict = result->verdict;
    if (verdict) {
        put_all_cases(grading, result);
        put_times(verdict);
        put_all_counters(verdict);
        for (uint32_t i = 0; i < verdict->nmessages; i++)
            if (!is_told_elsewhere(verdict, i))
                report_put_places(grading, verdict->messages[i].text, INDENT, MOST_TEXT_LINES);
    }
    if (result->printed) {
        put_words(INDENT, "The host code printed:");
        put_text(result->printed, INDENT + 2, 1000);
    }
}

/* ------------------------------------------------------------------------------------------- the report */

void report_damage(const char *path, const struct history *history)
{
    if (history->damaged == 1)
        fprintf(stderr, "grade: %s: line %d is damaged, and left out.\n", path, history->first_damaged);
    else if (history->damaged)
        fprintf(stderr, "grade: %s: %d lines, the first of them line %d, are damaged, and left out.\n", path,
                history->damaged, history->first_damaged);
}

void report_begin(const struct grading *grading)
{
    const struct session *session = grading->session;
    painted(BOLD, "%s", session->lab->id);
    printf("  %s\n", session->lab->title);
    if (session->has_gpu)
        put_words(INDENT, "%s, on %s", grading->shown, session->gpu);
    else
        put_words(INDENT, "%s, on the virtual GPU as %s: times are estimates", grading->shown,
                  session->model);
    if (!*session->sandbox.bwrap || session->is_gpu_bare)
        put_words(INDENT, "sandbox: %s%s", session->sandbox.state,
                  session->is_gpu_bare ? "; but not for what runs on the GPU" : "");
    putchar('\n');
    fflush(stdout);
    busy_spoke();
}

static int widest_id(const struct lab *lab)
{
    size_t most = 8;
    for (int i = 0; i < lab->nstages; i++) {
        if (strlen(lab->stages[i].id) > most)
            most = strlen(lab->stages[i].id);
    }
    return (int)most;
}

void report_stage(const struct grading *grading, const struct stage_result *result)
{
    printf("%3d  %-*s ", result->row, widest_id(grading->session->lab), result->stage->id);
    if (!result->is_wanted) {
        painted(DIM, "  given  %s\n", result->stage->title);
        return;
    }
    if (result->verdict && *result->verdict->failure) {
        painted(RED, "not judged: an error of the kit\n");
        return;
    }
    const bool is_held = holds_hint(grading, result);
    put_points(result);
    put_summary(result);
    put_scale(grading, result);
    put_slower(grading, result);
    put_fault(grading, result, is_held);
    put_step(grading, result);
    put_luck(&result->score);
    put_bounds(grading, &result->score);
    put_clock(grading, result);
    if (result->score.is_generous)
        put_words(INDENT, "The measurement spreads from %.2fx to %.2fx around %.2fx: decided in your favour.",
                  result->score.low, result->score.high, result->score.needed);
    if (!is_held)
        put_hint(result);
    if (grading->session->options->is_verbose)
        put_details(grading, result);
    fflush(stdout);
    busy_spoke();
}

static const struct stage_result *find_next(const struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++) {
        const struct stage_result *one = &grading->stages[i];
        if (one->is_wanted && one->score.all.points < one->score.all.most)
            return one;
    }
    return NULL;
}

/* All that is left to say when one stage was graded: it is solved, and what for. */
static void put_learned(const struct grading *grading)
{
    const char *learned = grading->stages[0].stage->learned;
    if (find_next(grading) || !learned)
        return;
    putchar('\n');
    put_words(5, "Learned: %s", learned);
}

static void put_next(const struct grading *grading)
{
    const struct stage_result *next = find_next(grading);
    if (!next)
        return;
    const int left = next->score.all.most - next->score.all.points;
    put_words(5, "Next: ./grade %s.%d, %s: %d point%s left", grading->session->lab->id, next->row,
              next->stage->title, left, left == 1 ? "" : "s");
}

/* Where bugs are to be found, the report ends before it says what to do about them. */
void report_held(const struct grading *grading)
{
    const struct stage_result *first = NULL;
    for (int i = 0; i < grading->nstages && !first; i++)
        first = holds_hint(grading, &grading->stages[i]) ? &grading->stages[i] : NULL;
    if (!first)
        return;
    putchar('\n');
    put_words(5, "To find the bug is the task. When you are stuck: ./grade hint %s.%d",
              grading->session->lab->id, first->row);
}

/* What mostly fixes an error, below it. */
static void put_advice(const char *line, size_t length, int indent)
{
    char *words = strndup(line + 3, length - 3);
    paint(BOLD);
    put_marked("-> ", words ? words : "", indent, 1000);
    paint(PLAIN);
    free(words);
}

/* Sentences are broken between words. Lines of source text, and the arrows below them, are indented: they stay as they are. */
static void put_compiler(const struct grading *grading, const char *raw, int indent, int most_lines)
{
    char *placed = place(grading, raw);
    char *plain = utf8_plain(placed ? placed : raw);
    for (const char *line = plain ? plain : ""; *line && most_lines-- > 0;) {
        const size_t length = strcspn(line, "\n");
        if (*line == ' ' || *line == '\t')
            printf("%*s%.*s\n", indent, "", (int)length, line);
        else if (!strncmp(line, "-> ", 3))
            put_advice(line, length, indent);
        else
            wrap_line(stdout, put_columns(), indent, "", line, length);
        line += length + (line[length] == '\n');
    }
    free(plain);
    free(placed);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        lines++;
    return lines;
}

/* Of many, the first; -v has all. */
static void put_warnings(const struct grading *grading)
{
    const bool is_all = grading->session->options->is_verbose;
    const int lines = grading->warnings ? count_lines(grading->warnings) : 0;
    if (!lines)
        return;
    painted(YELLOW, "\n%*sThe compiler warns:\n", 5, "");
    put_compiler(grading, grading->warnings, INDENT, is_all ? lines : MOST_WARNING_LINES);
    if (!is_all && lines > MOST_WARNING_LINES)
        put_words(INDENT, "(%d more lines: -v shows them)", lines - MOST_WARNING_LINES);
}

/* False where only given stages were asked for. */
static bool has_points(const struct grading *grading)
{
    int points = 0;
    for (int i = 0; i < grading->nstages; i++)
        points += lab_stage_points(grading->stages[i].stage);
    return points > 0;
}

static void put_totals(const struct grading *grading)
{
    struct totals totals = grading_totals(grading);
    if (totals.most)
        painted(BOLD, "%*s%d of %d points", 5, "", totals.points, totals.most);
    if (totals.most && totals.bonus)
        printf(", and %d bonus points", totals.bonus);
    if (!totals.most)
        painted(BOLD, "%*s%d bonus points", 5, "", totals.bonus);
    putchar('\n');
}

void report_words(const struct grading *grading)
{
    put_warnings(grading);
    if (grading->trouble && grading->outcome == OUTCOME_STUDENT)
        put_compiler(grading, grading->trouble, 5, 1000);
    fflush(stdout);
}

void report_end(const struct grading *grading)
{
    report_words(grading);
    if (grading->trouble)
        return;
    if (!has_points(grading))
        printf("\n%*sgiven: there is nothing to earn here\n", 5, "");
    else if (grading->session->options->stage && grading->nstages == 1)
        put_learned(grading);
    else {
        putchar('\n');
        put_totals(grading);
        put_next(grading);
    }
    report_held(grading);
    fflush(stdout);
}
