/* export_autolab.c - what an Autolab autograder prints: words, a line that lays them out, and the scores as the last line.
 * Autolab adds up the scores of an assessment's problems, and wants no problem that it does not know. So everybody has the same
 * ones: all stages, and `adjustment`, which makes the sum what counts where that is not what the stages earned. */
#include "grader/course/export_each.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grader/course/export_words.h"

static void put_goal(struct json *json, const char *name, bool is_reached, const char *hint)
{
    json_object(json, name);
    json_bool(json, "passed", is_reached);
    if (!is_reached && hint && *hint)
        json_text(json, "hint", hint);
    json_end_object(json);
}

/* A title never is one of the two keys that the line has besides. */
static void write_title(const struct export_stage *stage, char *out, size_t size)
{
    snprintf(out, size, "%ld. %.60s", stage->row, stage->id);
}

static void put_goals(struct json *json, const struct export *export, const struct record_stage *stage)
{
    char *hint = export_hint(export, stage);
    put_goal(json, "results are right", stage->is_right, hint);
    put_goal(json, "checkers find nothing", stage->is_clean, hint);
    put_goal(json, "the step's concept", stage->has_concept, hint);
    put_goal(json, "all points", export_has_all(stage), hint);
    free(hint);
}

static void put_layout(struct json *json, const struct export *export, const struct course_member *member)
{
    char title[100];
    json_object(json, NULL);
    json_text(json, "_presentation", "semantic");
    json_list(json, "stages");
    for (size_t i = 0; i < export->nstages; i++) {
        write_title(&export->stages[i], title, sizeof title);
        json_text(json, NULL, title);
    }
    json_end_list(json);
    for (size_t i = 0; i < export->nstages; i++) {
        const struct record_stage *stage = export_find_stage(member, export->stages[i].id);
        write_title(&export->stages[i], title, sizeof title);
        json_object(json, title);
        if (stage)
            put_goals(json, export, stage);
        else
            put_goal(json, "it was graded", false, NULL);
        json_end_object(json);
    }
    json_end_object(json);
}

static void put_scores(struct json *json, const struct export *export, const struct course_member *member)
{
    double rest = export_total(member);
    json_object(json, "scores");
    for (size_t i = 0; i < export->nstages; i++) {
        const struct record_stage *stage = export_find_stage(member, export->stages[i].id);
        json_integer(json, export->stages[i].id, stage ? stage->points : 0);
        rest -= stage ? (double)stage->points : 0;
    }
    json_number(json, "adjustment", rest);
    json_end_object(json);
}

static void put_scoreboard(struct json *json, const struct export *export, const struct course_member *member)
{
    json_list(json, "scoreboard");
    json_number(json, NULL, export_total(member));
    for (size_t i = 0; i < export->nstages; i++) {
        const struct record_stage *stage = export_find_stage(member, export->stages[i].id);
        json_fixed(json, NULL, stage && course_is_ranked(stage) ? stage->speedup : 0, 2);
    }
    json_end_list(json);
}

static void put_words(const struct export *export, const struct course_member *member, FILE *file)
{
    char *title = export_plain(export, export->course->title), *words = export_words(export, member, false);
    fprintf(file, "Warpstep %s: %s\n%s\n", export->course->lab, title ? title : "", words ? words : "");
    for (size_t i = 0; member->record && i < member->record->nstages; i++) {
        char *text = export_stage_words(export, member->record, &member->record->stages[i]);
        fprintf(file, "\n%s\n%s\n", member->record->stages[i].id, text ? text : "");
        free(text);
    }
    free(title);
    free(words);
}

void export_autolab(const struct export *export, const struct course_member *member, FILE *file)
{
    struct json layout = {.file = file}, result = {.file = file};
    put_words(export, member, file);
    fputc('\n', file);
    put_layout(&layout, export, member);
    fputc('\n', file);
    json_object(&result, NULL);
    put_scores(&result, export, member);
    put_scoreboard(&result, export, member);
    json_end_object(&result);
    fputc('\n', file);
}
