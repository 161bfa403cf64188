/* list.c - ./grade alone: every lab with its stages as a bar, the best points there ever were, and what is next.
 * Reads histories, and the tables of labs that have been built; builds nothing. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/history.h"
#include "grader/progress.h"
#include "grader/put.h"

enum { INDENT = 2, ID_WIDTH = 6, POINTS_WIDTH = 13, LEAST_TITLE = 12 };

struct row {
    const struct labs_entry *entry;
    char title[200];
    struct history history;
};

struct listing {
    struct row rows[LABS_MOST];
    struct progress progress[LABS_MOST]; /* of the same rows */
    int count;
};

/* ------------------------------------------------------------------------------------------- reading */

static void read_row(const struct session *session, struct row *row, struct progress *progress)
{
    char path[GRADE_PATH], why[600];
    const struct lab *lab = labs_open(&session->kit, row->entry, why, sizeof why);
    const char *dash = strchr(row->entry->folder, '-');
    snprintf(row->title, sizeof row->title, "%s", lab ? lab->title : dash ? dash + 1 : "");
    snprintf(path, sizeof path, "%s/%s.history", session->kit.results, row->entry->id);
    if (!history_load(&row->history, path))
        fprintf(stderr, "grade: %s cannot be read: %s.\n", path, strerror(errno));
    report_damage(path, &row->history);
    progress_find(progress, lab, &row->history);
}

/* ------------------------------------------------------------------------------------------- a lab */

/* How much of a stage there is: a cell of the bar. */
static const struct {
    const char *utf8, *plain;
    enum paint paint;
} cells[] = {{"\u00b7", ".", DIM}, {"\u2584", "+", YELLOW}, {"\u2588", "#", GREEN}};

static void put_bar(const struct progress *progress, int width)
{
    const bool is_utf8 = put_has_utf8();
    for (int i = 0; i < progress->nstages; i++) {
        const struct progress_stage *one = &progress->stages[i];
        const int cell = one->points == 0 ? 0 : one->points < one->most ? 1 : 2;
        painted(cells[cell].paint, "%s", is_utf8 ? cells[cell].utf8 : cells[cell].plain);
    }
    printf("%*s", width - progress->nstages, "");
}

static void put_points(const struct progress *progress)
{
    char text[40], bonus[16] = "";
    const bool is_full = progress->points == progress->most;
    if (progress->bonus)
        snprintf(bonus, sizeof bonus, " +%d", progress->bonus);
    snprintf(text, sizeof text, "%3d/%d%s", progress->points, progress->most, bonus);
    if (!progress->last)
        painted(DIM, " %-*s", POINTS_WIDTH, "  -");
    else
        painted(is_full ? GREEN : progress->points ? YELLOW : PLAIN, " %-*s", POINTS_WIDTH, text);
}

/* Titles end at the terminal's edge; where it is too narrow for them, there are none. */
static void put_title(const char *title, int used)
{
    const int room = put_columns() - used, length = (int)strlen(title);
    if (room >= length)
        printf("%s", title);
    else if (room >= LEAST_TITLE)
        printf("%.*s...", room - 3, title);
    putchar('\n');
}

/* "tiled 30/30, padded 7/30, swizzle 0/10 (bonus)" */
static void put_stages(const struct progress *progress)
{
    char text[2000] = "";
    for (int i = 0; i < progress->nstages; i++) {
        const struct progress_stage *one = &progress->stages[i];
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %d/%d%s", i ? ", " : "", one->id, one->points,
                 one->most, one->is_bonus ? " (bonus)" : "");
    }
    put_words(INDENT + ID_WIDTH + 1, "%s", text);
}

static void put_lab(const struct listing *listing, int index, int bar, bool is_verbose)
{
    const struct row *row = &listing->rows[index];
    const struct progress *progress = &listing->progress[index];
    printf("%*s%-*s ", INDENT, "", ID_WIDTH, row->entry->id);
    put_bar(progress, bar);
    put_points(progress);
    put_title(row->title, INDENT + ID_WIDTH + 1 + bar + 1 + POINTS_WIDTH);
    if (progress->nstages && (progress->last || is_verbose))
        put_stages(progress);
}

/* ------------------------------------------------------------------------------------------- all of them */

static void put_sum(const struct listing *listing)
{
    int points = 0, bonus = 0, begun = 0;
    for (int i = 0; i < listing->count; i++) {
        points += listing->progress[i].points;
        bonus += listing->progress[i].bonus;
        begun += listing->progress[i].last != 0;
    }
    if (!begun)
        return;
    char more[60] = "";
    if (bonus)
        snprintf(more, sizeof more, " and %d bonus point%s", bonus, bonus == 1 ? "" : "s");
    putchar('\n');
    put_words(INDENT, "%d point%s%s in %d lab%s: the best that your own files ever had.", points,
              points == 1 ? "" : "s", more, begun, begun == 1 ? "" : "s");
}

static void put_next(const struct listing *listing)
{
    const int which = progress_choose(listing->progress, listing->count);
    putchar('\n');
    if (which < 0) {
        painted(GREEN, "%*sAll points of all labs.\n", INDENT, "");
        return;
    }
    const char *id = listing->rows[which].entry->id;
    const struct progress_stage *next = listing->progress[which].next;
    if (!next) {
        put_words(INDENT, "Next: make %s && ./grade %s, %s", id, id, listing->rows[which].title);
        return;
    }
    const int left = next->most - next->points;
    char stage[16];
    snprintf(stage, sizeof stage, "%d", next->row);
    put_words(INDENT, "Next: ./grade %s.%s, %s: %d %spoint%s left", id, next->row ? stage : next->id,
              *next->title ? next->title : next->id, left, next->is_bonus ? "bonus " : "",
              left == 1 ? "" : "s");
}

static void put_text_of(const struct session *session, const struct listing *listing)
{
    int bar = 1;
    if (listing->count == 0)
        printf("There are no labs in %s/labs.\n", session->kit.root);
    for (int i = 0; i < listing->count; i++)
        bar = listing->progress[i].nstages > bar ? listing->progress[i].nstages : bar;
    for (int i = 0; i < listing->count; i++)
        put_lab(listing, i, bar, session->options->is_verbose);
    if (listing->count == 0)
        return;
    put_sum(listing);
    put_next(listing);
}

static void put_json_lab(struct json *json, const struct row *row, const struct progress *progress)
{
    json_line(json);
    json_object(json, NULL);
    json_text(json, "lab", row->entry->id);
    json_text(json, "title", row->title);
    json_bool(json, "begun", progress->last != 0);
    json_integer(json, "points", progress->points);
    json_integer(json, "max_points", progress->most);
    json_integer(json, "bonus", progress->bonus);
    json_list(json, "stages");
    for (int i = 0; i < progress->nstages; i++) {
        json_object(json, NULL);
        json_text(json, "id", progress->stages[i].id);
        json_integer(json, "points", progress->stages[i].points);
        json_integer(json, "max_points", progress->stages[i].most);
        json_bool(json, "bonus", progress->stages[i].is_bonus);
        json_end_object(json);
    }
    json_end_list(json);
    json_end_object(json);
}

static void put_json(const struct listing *listing)
{
    struct json json = {.file = stdout};
    const int which = progress_choose(listing->progress, listing->count);
    const struct progress_stage *next = which < 0 ? NULL : listing->progress[which].next;
    json_object(&json, NULL);
    json_list(&json, "labs");
    for (int i = 0; i < listing->count; i++)
        put_json_lab(&json, &listing->rows[i], &listing->progress[i]);
    json_end_list(&json);
    json_text(&json, "next_lab", which < 0 ? "" : listing->rows[which].entry->id);
    json_text(&json, "next_stage", next ? next->id : "");
    json_end_object(&json);
    putchar('\n');
}

enum outcome list_run(struct session *session)
{
    static struct listing listing;
    listing.count = session->labs.count;
    for (int i = 0; i < listing.count; i++) {
        listing.rows[i].entry = &session->labs.list[i];
        read_row(session, &listing.rows[i], &listing.progress[i]);
    }
    if (session->options->is_json)
        put_json(&listing);
    else
        put_text_of(session, &listing);
    for (int i = 0; i < listing.count; i++)
        history_free(&listing.rows[i].history);
    return OUTCOME_GRADED;
}
