/* compare.c - ./grade compare lab3 A B: two files graded one after the other, and told in one table.
 * What both have in common is left out: of a stage's goals, only counters that differ are named. Nothing is kept. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "grader/busy.h"
#include "grader/put.h"

enum { SIDES = 2, INDENT = 6, ID_WIDTH = 10, POINTS_WIDTH = 8, TIME_WIDTH = 12, SPEED_WIDTH = 9 };
enum { WIDE = 5 + ID_WIDTH + SIDES * (POINTS_WIDTH + TIME_WIDTH + SPEED_WIDTH) };

static const char letters[SIDES] = {'A', 'B'};

/* What the table says of one side in one stage. */
struct cell {
    char points[24], time[32], speedup[32];
};

static bool is_timed(const struct stage_result *result)
{
    return result->verdict && result->verdict->time.is_known && result->score.has_speedup;
}

static void fill_cell(const struct stage_result *result, struct cell *cell)
{
    *cell = (struct cell){.time = "-", .speedup = "-"};
    snprintf(cell->points, sizeof cell->points, "%d/%d", result->score.all.points,
             lab_stage_points(result->stage));
    if (!is_timed(result))
        return;
    snprintf(cell->time, sizeof cell->time, "%.2f us", result->verdict->time.student_us);
    lab_write_times(result->score.speedup, cell->speedup, sizeof cell->speedup);
}

/* ------------------------------------------------------------------------------------------- goals */

/* A counter of a goal, as both sides have it. */
struct goal {
    const struct score_bound *sides[SIDES];
    char now[SIDES][40];
};

/* False: the stage has no more goals. */
static bool read_goal(struct grading *sides, int stage, int index, struct goal *goal)
{
    for (int i = 0; i < SIDES; i++) {
        goal->sides[i] = &sides[i].stages[stage].score.bounds[index];
        if (!goal->sides[i]->bound)
            return false;
        snprintf(goal->now[i], sizeof goal->now[i], "not measured");
        if (goal->sides[i]->is_known)
            report_write_number(report_is_count(goal->sides[i]->bound), goal->sides[i]->value, goal->now[i],
                                sizeof goal->now[i]);
    }
    return true;
}

static bool does_differ(const struct goal *goal)
{
    return strcmp(goal->now[0], goal->now[1]) != 0;
}

/* ------------------------------------------------------------------------------------------- text */

static void put_head(struct session *session, struct grading *sides)
{
    painted(BOLD, "%s", session->lab->id);
    printf("  %s\n", session->lab->title);
    for (int i = 0; i < SIDES; i++)
        put_words(INDENT, "%c: %s", letters[i], sides[i].source);
    if (session->has_gpu)
        put_words(INDENT, "on %s", session->gpu);
    else
        put_words(INDENT, "on the virtual GPU as %s: times are estimates", session->model);
    putchar('\n');
}

static void put_columns_head(void)
{
    static const struct {
        const char *name;
        int width;
    } groups[] = {{"points", POINTS_WIDTH}, {"time", TIME_WIDTH}, {"speedup", SPEED_WIDTH}};
    printf("%*s", 5 + ID_WIDTH, "");
    for (int i = 0; i < LAB_COUNT(groups); i++)
        printf("%*s", SIDES * groups[i].width, groups[i].name);
    printf("\n%*s", 5 + ID_WIDTH, "");
    for (int i = 0; i < LAB_COUNT(groups) * SIDES; i++)
        printf("%*c", groups[i / SIDES].width, letters[i % SIDES]);
    putchar('\n');
}

static void put_row(const struct cell *cells, bool is_wide)
{
    if (is_wide) {
        printf("%*s%*s", POINTS_WIDTH, cells[0].points, POINTS_WIDTH, cells[1].points);
        printf("%*s%*s", TIME_WIDTH, cells[0].time, TIME_WIDTH, cells[1].time);
        printf("%*s%*s\n", SPEED_WIDTH, cells[0].speedup, SPEED_WIDTH, cells[1].speedup);
        return;
    }
    putchar('\n');
    for (int i = 0; i < SIDES; i++)
        printf("%*s%c %s, %s, %s\n", INDENT, "", letters[i], cells[i].points, cells[i].time,
               cells[i].speedup);
}

static const char *words_for(const struct score *score)
{
    return !score->is_right  ? "wrong, or not there"
           : score->is_clean ? "right and clean"
                             : "right, but not clean";
}

static void put_differences(struct grading *sides, int stage)
{
    struct goal goal;
    char wanted[100];
    const char *words[SIDES];
    for (int i = 0; i < SIDES; i++)
        words[i] = words_for(&sides[i].stages[stage].score);
    if (words[0] != words[1])
        put_words(INDENT, "A is %s, B is %s", words[0], words[1]);
    for (int i = 0; i < LAB_BOUNDS && read_goal(sides, stage, i, &goal); i++) {
        if (!does_differ(&goal))
            continue;
        report_write_goal(goal.sides[0]->bound, wanted, sizeof wanted);
        put_words(INDENT, "%s: A %s, B %s, goal %s", goal.sides[0]->bound->meaning, goal.now[0], goal.now[1],
                  wanted);
    }
}

static void put_stages(struct grading *sides)
{
    const bool is_wide = put_columns() >= WIDE;
    if (is_wide)
        put_columns_head();
    for (int i = 0; i < sides[0].nstages; i++) {
        const struct stage_result *first = &sides[0].stages[i];
        struct cell cells[SIDES];
        if (!first->is_wanted)
            continue;
        for (int k = 0; k < SIDES; k++)
            fill_cell(&sides[k].stages[i], &cells[k]);
        printf("%3d  %-*s", first->row, ID_WIDTH, first->stage->id);
        put_row(cells, is_wide);
        put_differences(sides, i);
    }
}

static void put_sums(struct grading *sides)
{
    putchar('\n');
    for (int i = 0; i < SIDES; i++) {
        const struct totals totals = grading_totals(&sides[i]);
        painted(BOLD, "%*s%c: %d of %d points", 5, "", letters[i], totals.points, totals.most);
        if (totals.bonus)
            printf(", and %d bonus points", totals.bonus);
        putchar('\n');
    }
}

static void put_trouble(const struct grading *side, char letter)
{
    char *plain = side->trouble ? utf8_plain(side->trouble) : NULL;
    if (plain)
        printf("%*s%c was not graded: %s%s", 5, "", letter, plain,
               plain[strlen(plain) - 1] == '\n' ? "" : "\n");
    free(plain);
}

static void put_text_of(struct session *session, struct grading *sides)
{
    put_head(session, sides);
    put_stages(sides);
    put_sums(sides);
    for (int i = 0; i < SIDES; i++)
        put_trouble(&sides[i], letters[i]);
}

/* ------------------------------------------------------------------------------------------- JSON */

static const char *const names[SIDES] = {"a", "b"};

static void put_json_side(struct json *json, const char *name, const struct stage_result *result)
{
    const bool has_time = is_timed(result);
    json_object(json, name);
    json_integer(json, "points", result->score.all.points);
    json_bool(json, "correct", result->score.is_right);
    json_bool(json, "clean", result->score.is_right && result->score.is_clean);
    json_number(json, "time_us", has_time ? result->verdict->time.student_us : (double)NAN);
    json_number(json, "speedup", has_time ? result->score.speedup : (double)NAN);
    json_end_object(json);
}

static void put_json_goals(struct json *json, struct grading *sides, int stage)
{
    struct goal goal;
    json_list(json, "goals");
    for (int i = 0; i < LAB_BOUNDS && read_goal(sides, stage, i, &goal); i++) {
        json_object(json, NULL);
        json_text(json, "meaning", goal.sides[0]->bound->meaning);
        for (int k = 0; k < SIDES; k++)
            json_number(json, names[k], goal.sides[k]->is_known ? goal.sides[k]->value : (double)NAN);
        json_bool(json, "differs", does_differ(&goal));
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_json_stage(struct json *json, struct grading *sides, int stage)
{
    const struct lab_stage *row = sides[0].stages[stage].stage;
    json_line(json);
    json_object(json, NULL);
    json_text(json, "id", row->id);
    json_integer(json, "max_points", lab_stage_points(row));
    for (int i = 0; i < SIDES; i++)
        put_json_side(json, names[i], &sides[i].stages[stage]);
    put_json_goals(json, sides, stage);
    json_end_object(json);
}

static void put_json(struct session *session, struct grading *sides)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "lab", session->lab->id);
    json_text(&json, "backend", session->has_gpu ? "gpu" : "virtual");
    json_text(&json, "gpu", session->has_gpu ? session->gpu : session->model);
    for (int i = 0; i < SIDES; i++) {
        const struct totals totals = grading_totals(&sides[i]);
        json_object(&json, names[i]);
        json_text(&json, "file", sides[i].source);
        json_integer(&json, "points", totals.points);
        json_integer(&json, "max_points", totals.most);
        json_integer(&json, "bonus", totals.bonus);
        json_text(&json, "message", sides[i].trouble);
        json_end_object(&json);
    }
    json_list(&json, "stages");
    for (int i = 0; i < sides[0].nstages; i++) {
        if (sides[0].stages[i].is_wanted)
            put_json_stage(&json, sides, i);
    }
    json_end_list(&json);
    json_end_object(&json);
    putchar('\n');
}

/* ------------------------------------------------------------------------------------------- the command */

static enum outcome worse(enum outcome a, enum outcome b)
{
    return a > b ? a : b;
}

enum outcome compare_run(struct session *session)
{
    static struct grading sides[SIDES];
    enum outcome outcome = OUTCOME_GRADED;
    for (int i = 0; i < SIDES; i++) {
        if (access(session->options->names[i], F_OK) != 0) {
            fprintf(stderr, "There is no file %s.\n", session->options->names[i]);
            return OUTCOME_STUDENT;
        }
    }
    for (int i = 0; i < SIDES && outcome != OUTCOME_OURS; i++) {
        busy_about("%c", letters[i]);
        grade_submission(&sides[i], session, session->options->names[i]);
        outcome = worse(outcome, sides[i].outcome);
    }
    if (outcome != OUTCOME_OURS)
        (session->options->is_json ? put_json : put_text_of)(session, sides);
    for (int i = 0; i < SIDES; i++) {
        if (sides[i].outcome == OUTCOME_OURS && !sandbox_is_stopped())
            fprintf(stderr, "grade: error of the kit, no grade of %s: %s\n", session->options->names[i],
                    sides[i].trouble ? sides[i].trouble : "");
        grading_free(&sides[i]);
    }
    return outcome;
}
