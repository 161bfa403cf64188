/* attempts.c - ./grade history lab3: what the student tried, and what each attempt changed, newest last.
 * Everything comes from the history: the lab need not be built, only the numbers of stages are its table's. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/history.h"
#include "grader/progress.h"
#include "grader/put.h"

/* Speedups that differ by less are the same, whatever their last digit. */
#define SAME_SPEEDUP 0.01
enum { SHOWN = 20, INDENT = 2, INNER = 6 };

static struct totals add_up(const struct history_attempt *attempt)
{
    struct totals totals = {0, 0, 0};
    for (int i = 0; i < attempt->nstages; i++) {
        const struct history_stage *one = &attempt->stages[i];
        *(one->is_bonus ? &totals.bonus : &totals.points) += one->points;
        totals.most += one->is_bonus ? 0 : one->most;
    }
    return totals;
}

/* The attempt that graded a stage the time before; NULL: none did. */
static const struct history_attempt *attempt_before(const struct history *history, int index, const char *id)
{
    while (--index >= 0)
        if (history_find(&history->list[index], id))
            return &history->list[index];
    return NULL;
}

/* The stage as it was then; NULL: it never was. */
static const struct history_stage *find_before(const struct history *history, int index, const char *id)
{
    const struct history_attempt *before = attempt_before(history, index, id);
    return before ? history_find(before, id) : NULL;
}

/* True if the file is the one that each of the stages was graded with the time before. */
static bool is_same_file(const struct history *history, int index)
{
    const struct history_attempt *attempt = &history->list[index];
    for (int i = 0; i < attempt->nstages; i++) {
        const struct history_attempt *before = attempt_before(history, index, attempt->stages[i].id);
        if (!before || strcmp(before->hash, attempt->hash) != 0)
            return false;
    }
    return attempt->nstages || (index && strcmp(attempt[-1].hash, attempt->hash) == 0);
}

static bool is_speed_new(const struct history_stage *now, const struct history_stage *before)
{
    return now->speedup > 0 && fabs(now->speedup - before->speedup) > SAME_SPEEDUP * now->speedup;
}

/* ------------------------------------------------------------------------------------------- text */

/* "lab3.2 tiled", as the report has it; without the lab's table "lab3.tiled". */
static void write_name(const struct session *session, const struct lab *lab, const char *id, char *out,
                       size_t size)
{
    const struct lab_stage *stage = lab ? lab_find_stage(lab, id) : NULL;
    if (stage)
        snprintf(out, size, "%s.%d %s", session->entry->id, (int)(stage - lab->stages) + 1, id);
    else
        snprintf(out, size, "%s.%s", session->entry->id, id);
}

/* ", race, line 34" */
static void write_wrong(const struct history_stage *stage, char *out, size_t size)
{
    const bool is_unanswered = strcmp(stage->symptom, HISTORY_UNANSWERED) == 0;
    const char *words = is_unanswered ? "not given yet" : stage->symptom;
    char line[24] = "";
    for (int i = 0; i < LAB_SYMPTOMS; i++)
        words = strcmp(lab_symptom_name(i), stage->symptom) ? words : report_verdict(i);
    if (stage->line)
        snprintf(line, sizeof line, ", line %d", stage->line);
    snprintf(out, size, "%s%s%s", *words ? ", " : "", words, *words ? line : "");
}

static bool is_as_before(const struct history_stage *now, const struct history_stage *before)
{
    return before && now->points == before->points && !is_speed_new(now, before) &&
           strcmp(now->symptom, before->symptom) == 0 && now->line == before->line;
}

/* "0 -> 30 (+30), 2.17x", "30/30, 3.61x -> 3.72x", "0/30, race, line 34" */
static void write_change(const struct history_stage *now, const struct history_stage *before, char *out,
                         size_t size)
{
    char points[60], speed[100] = "", wrong[100], was[40], is[40];
    lab_write_times(before ? before->speedup : 0, was, sizeof was);
    lab_write_times(now->speedup, is, sizeof is);
    if (now->speedup > 0) {
        const bool has_both = before && is_speed_new(now, before) && before->speedup > 0;
        snprintf(speed, sizeof speed, ", %s%s%s", has_both ? was : "", has_both ? " -> " : "", is);
    }
    if (before && now->points != before->points)
        snprintf(points, sizeof points, "%d -> %d (%+d)", before->points, now->points,
                 now->points - before->points);
    else
        snprintf(points, sizeof points, "%d/%d", now->points, now->most);
    write_wrong(now, wrong, sizeof wrong);
    snprintf(out, size, "%s%s%s", points, wrong, speed);
}

/* Of a whole lab, the stages that were graded for the first time or have changed. */
static void put_changes(const struct session *session, const struct lab *lab, const struct history *history,
                        int index)
{
    const struct history_attempt *attempt = &history->list[index];
    char name[HISTORY_ID + 60], change[300];
    bool is_new = false;
    for (int i = 0; i < attempt->nstages; i++) {
        const struct history_stage *now = &attempt->stages[i], *before = find_before(history, index, now->id);
        if (is_as_before(now, before))
            continue;
        write_name(session, lab, now->id, name, sizeof name);
        write_change(now, before, change, sizeof change);
        put_words(INNER, "%s  %s", name, change);
        is_new = true;
    }
    if (!is_new && !attempt->has_failed)
        put_words(INNER, "nothing changed");
}

/* "+2", or "+2 of 10 bonus" where nothing else was graded. */
static void put_points(const struct history_attempt *attempt)
{
    const struct totals totals = add_up(attempt);
    char points[40];
    int bonus_most = 0;
    for (int i = 0; i < attempt->nstages; i++)
        bonus_most += attempt->stages[i].is_bonus ? attempt->stages[i].most : 0;
    if (totals.most || !bonus_most) {
        snprintf(points, sizeof points, "%3d/%d", totals.points, totals.most);
        painted(totals.points == totals.most ? GREEN : totals.points ? YELLOW : PLAIN, "%-8s", points);
        if (totals.bonus)
            printf(" +%d", totals.bonus);
    } else {
        painted(totals.bonus == bonus_most ? GREEN
                : totals.bonus             ? YELLOW
                                           : PLAIN,
                " +%d of %d bonus", totals.bonus, bonus_most);
    }
}

/* One stage: all of it in the line. */
static void put_single(const struct session *session, const struct lab *lab, const struct history *history,
                       int index)
{
    const struct history_stage *now = &history->list[index].stages[0];
    char name[HISTORY_ID + 60], change[300];
    write_name(session, lab, now->id, name, sizeof name);
    write_change(now, find_before(history, index, now->id), change, sizeof change);
    printf("%s  ", name);
    painted(now->points == now->most ? GREEN : now->points ? YELLOW : PLAIN, "%s", change);
}

/* The GPU is told when it is another one than before. */
static void put_attempt(const struct session *session, const struct lab *lab, const struct history *history,
                        int index)
{
    const struct history_attempt *attempt = &history->list[index], *before = index ? attempt - 1 : NULL;
    const bool is_other_gpu =
        !before || strcmp(attempt->gpu, before->gpu) != 0 || attempt->is_gpu != before->is_gpu;
    char when[40] = "";
    struct tm parts;
    if (localtime_r(&attempt->when, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &parts);
    printf("%*s%s  ", INDENT, "", when);
    if (attempt->has_failed && attempt->line)
        painted(RED, "did not build, line %d", attempt->line);
    else if (attempt->has_failed)
        painted(RED, "did not build");
    else if (attempt->nstages == 1)
        put_single(session, lab, history, index);
    else
        put_points(attempt);
    if (is_other_gpu)
        painted(DIM, "  %s%s", attempt->is_gpu ? "" : "virtual ", attempt->gpu);
    if (is_same_file(history, index))
        painted(DIM, "%s", "  the same file");
    putchar('\n');
    if (attempt->nstages != 1)
        put_changes(session, lab, history, index);
}

static void put_best(const struct lab *lab, const struct history *history)
{
    struct progress progress;
    progress_find(&progress, lab, history);
    printf("\n%*s", INDENT, "");
    painted(BOLD, "best: %d of %d points", progress.points, progress.most);
    if (progress.bonus)
        printf(", and %d bonus points", progress.bonus);
    putchar('\n');
}

static void put_text_of(const struct session *session, const struct history *history)
{
    const bool is_all = session->options->is_verbose || history->count <= SHOWN;
    const int first = is_all ? 0 : history->count - SHOWN;
    char why[600];
    const struct lab *lab = labs_open(&session->kit, session->entry, why, sizeof why);
    if (history->count == 0) {
        printf("%s has not been graded yet: ./grade %s\n", session->entry->id, session->entry->id);
        return;
    }
    painted(BOLD, "%s", session->entry->id);
    printf("  %d attempt%s%s\n", history->count, history->count == 1 ? "" : "s",
           is_all ? "" : "; the last 20, -v shows all");
    for (int i = first; i < history->count; i++)
        put_attempt(session, lab, history, i);
    put_best(lab, history);
}

/* ------------------------------------------------------------------------------------------- JSON */

static void put_json_stage(struct json *json, const struct history_stage *now,
                           const struct history_stage *before)
{
    json_object(json, NULL);
    json_text(json, "id", now->id);
    json_integer(json, "points", now->points);
    json_integer(json, "max_points", now->most);
    json_bool(json, "bonus", now->is_bonus);
    if (before)
        json_integer(json, "change", now->points - before->points);
    else
        json_null(json, "change");
    json_fixed(json, "speedup", now->speedup > 0 ? now->speedup : (double)NAN, 4);
    json_text(json, "symptom", *now->symptom ? now->symptom : "none");
    if (now->line)
        json_integer(json, "line", now->line);
    else
        json_null(json, "line");
    json_end_object(json);
}

static void put_json_attempt(struct json *json, const struct history *history, int index)
{
    const struct history_attempt *attempt = &history->list[index];
    const struct totals totals = add_up(attempt);
    char when[40] = "";
    struct tm parts;
    if (gmtime_r(&attempt->when, &parts))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_line(json);
    json_object(json, NULL);
    json_text(json, "time", when);
    json_text(json, "status", attempt->has_failed ? "failed" : "graded");
    json_integer(json, "points", totals.points);
    json_integer(json, "max_points", totals.most);
    json_integer(json, "bonus", totals.bonus);
    json_text(json, "backend", attempt->is_gpu ? "gpu" : "virtual");
    json_text(json, "gpu", attempt->gpu);
    json_text(json, "kit", attempt->version);
    json_text(json, "hash", attempt->hash);
    if (attempt->line)
        json_integer(json, "line", attempt->line);
    else
        json_null(json, "line");
    json_list(json, "stages");
    for (int i = 0; i < attempt->nstages; i++)
        put_json_stage(json, &attempt->stages[i], find_before(history, index, attempt->stages[i].id));
    json_end_list(json);
    json_end_object(json);
}

static void put_json(const struct session *session, const struct history *history)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "lab", session->entry->id);
    json_integer(&json, "damaged_lines", history->damaged);
    json_list(&json, "attempts");
    for (int i = 0; i < history->count; i++)
        put_json_attempt(&json, history, i);
    json_end_list(&json);
    json_end_object(&json);
    putchar('\n');
}

/* ------------------------------------------------------------------------------------------- the command */

enum outcome history_run(struct session *session)
{
    char path[GRADE_PATH];
    struct history history;
    snprintf(path, sizeof path, "%s/%s.history", session->kit.results, session->entry->id);
    const bool is_read = history_load(&history, path);
    if (!is_read)
        fprintf(stderr, "grade: %s cannot be read: %s.\n", path, strerror(errno));
    report_damage(path, &history);
    if (is_read)
        (session->options->is_json ? put_json : put_text_of)(session, &history);
    history_free(&history);
    return is_read ? OUTCOME_GRADED : OUTCOME_OURS;
}
