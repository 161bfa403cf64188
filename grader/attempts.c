/* attempts.c - ./grade history lab3: what the student tried, and what each attempt changed, newest last.
 * Everything comes from the history: the lab need not be built. */
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

/* The stage as it was when it was graded the time before; NULL: it never was. */
static const struct history_stage *find_before(const struct history *history, int index, const char *id)
{
    const struct history_stage *found = NULL;
    while (!found && --index >= 0)
        found = history_find(&history->list[index], id);
    return found;
}

static bool is_speed_new(const struct history_stage *now, const struct history_stage *before)
{
    return now->speedup > 0 && fabs(now->speedup - before->speedup) > SAME_SPEEDUP * now->speedup;
}

/* ------------------------------------------------------------------------------------------- text */

/* "tiled 0 -> 30 (+30), 2.17x", "padded 30, 3.61x -> 3.72x"; "": as it was. */
static void write_change(const struct history_stage *now, const struct history_stage *before, char *out,
                         size_t size)
{
    char speed[100] = "", was[40];
    const bool is_faster = before && is_speed_new(now, before);
    *out = '\0';
    if (before && now->points == before->points && !is_faster)
        return;
    lab_write_times(before ? before->speedup : 0, was, sizeof was);
    if (now->speedup > 0) {
        char is[40];
        lab_write_times(now->speedup, is, sizeof is);
        const bool has_both = is_faster && before->speedup > 0;
        snprintf(speed, sizeof speed, ", %s%s%s", has_both ? was : "", has_both ? " -> " : "", is);
    }
    if (before && now->points != before->points)
        snprintf(out, size, "%s %d -> %d (%+d)%s", now->id, before->points, now->points,
                 now->points - before->points, speed);
    else
        snprintf(out, size, "%s %d/%d%s", now->id, now->points, now->most, speed);
}

static void put_changes(const struct history *history, int index)
{
    const struct history_attempt *attempt = &history->list[index];
    char text[3000] = "", change[200];
    for (int i = 0; i < attempt->nstages; i++) {
        const struct history_stage *now = &attempt->stages[i];
        const size_t used = strlen(text);
        write_change(now, find_before(history, index, now->id), change, sizeof change);
        if (*change)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", change);
    }
    if (!attempt->has_failed)
        put_words(INNER, "%s", *text ? text : "nothing changed");
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

static void put_attempt(const struct history *history, int index)
{
    const struct history_attempt *attempt = &history->list[index];
    const bool is_same = index > 0 && strcmp(attempt->hash, history->list[index - 1].hash) == 0;
    char when[40] = "";
    struct tm parts;
    if (localtime_r(&attempt->when, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &parts);
    printf("%*s%s  ", INDENT, "", when);
    if (attempt->has_failed)
        painted(RED, "did not build");
    else
        put_points(attempt);
    painted(DIM, "  %s%s%s\n", attempt->is_gpu ? "" : "virtual ", attempt->gpu,
            is_same ? ", the same file" : "");
    put_changes(history, index);
}

static void put_best(const struct session *session, const struct history *history)
{
    struct progress progress;
    char why[600];
    progress_find(&progress, labs_open(&session->kit, session->entry, why, sizeof why), history);
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
    if (history->count == 0) {
        printf("%s has not been graded yet: ./grade %s\n", session->entry->id, session->entry->id);
        return;
    }
    painted(BOLD, "%s", session->entry->id);
    printf("  %d attempt%s%s\n", history->count, history->count == 1 ? "" : "s",
           is_all ? "" : "; the last 20, -v shows all");
    for (int i = first; i < history->count; i++)
        put_attempt(history, i);
    put_best(session, history);
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
