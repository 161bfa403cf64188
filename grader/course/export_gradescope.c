/* export_gradescope.c - results.json of a Gradescope autograder. `score` is what counts there: it overrides the sum of the tests,
 * so that late points and points by hand hold, and may be above the maximum, as a bonus is. */
#include "grader/course/export_each.h"

#include <stdlib.h>

#include "base/json.h"
#include "grader/course/export_words.h"

static void put_text(struct json *json, const char *key, char *text)
{
    json_text(json, key, text);
    free(text);
}

static void put_test(struct json *json, const struct export *export, const struct record *record,
                     const struct record_stage *stage)
{
    char number[24], name[300];
    snprintf(number, sizeof number, "%ld", stage->row);
    snprintf(name, sizeof name, "%.60s: %.200s%s", stage->id, stage->title,
             stage->is_bonus ? " (bonus)" : "");
    json_line(json);
    json_object(json, NULL);
    json_integer(json, "score", stage->points);
    json_integer(json, "max_score", stage->most);
    json_text(json, "status", export_has_all(stage) ? "passed" : "failed");
    json_text(json, "number", number);
    put_text(json, "name", export_plain(export, name));
    put_text(json, "output", export_stage_words(export, record, stage));
    json_text(json, "visibility", "visible");
    json_end_object(json);
}

/* Why nothing was graded, where a student looks first. */
static void put_failed_test(struct json *json, const struct export *export, const struct record *record)
{
    char name[100];
    snprintf(name, sizeof name, "%.60s.cu can be graded", export->course->lab);
    json_object(json, NULL);
    json_integer(json, "score", 0);
    json_integer(json, "max_score", export->course->most);
    json_text(json, "status", "failed");
    json_text(json, "name", name);
    put_text(json, "output", export_plain(export, record->details));
    json_text(json, "visibility", "visible");
    json_end_object(json);
}

static void put_tests(struct json *json, const struct export *export, const struct record *record)
{
    json_list(json, "tests");
    const bool has_failed =
        record && record->details && *record->details; /* to be built, or to be anything that can be */
    if (has_failed)
        put_failed_test(json, export, record);
    for (size_t i = 0; record && !has_failed && i < record->nstages; i++)
        put_test(json, export, record, &record->stages[i]);
    json_end_list(json);
}

static void put_place(struct json *json, const char *what, const char *of, double value)
{
    char name[100];
    snprintf(name, sizeof name, "%s%.80s", what, of);
    json_object(json, NULL);
    json_text(json, "name", name);
    json_number(json, "value", value);
    json_text(json, "order", "desc");
    json_end_object(json);
}

static void put_leaderboard(struct json *json, const struct course_member *member)
{
    json_list(json, "leaderboard");
    put_place(json, "points", "", export_total(member));
    for (size_t i = 0; member->record && i < member->record->nstages; i++) {
        const struct record_stage *stage = &member->record->stages[i];
        if (course_is_ranked(stage))
            put_place(json, "speedup of ", stage->id, stage->speedup);
    }
    json_end_list(json);
}

static void put_environment(struct json *json, const struct record_environment *environment)
{
    json_object(json, "environment");
    for (int i = 0; environment && i < record_environment_shape.nfields; i++) {
        const struct record_field *field = &record_environment_shape.fields[i];
        json_text(json, field->column, *(char *const *)((const char *)environment + field->offset));
    }
    json_end_object(json);
}

static void put_extra(struct json *json, const struct export *export, const struct course_member *member)
{
    json_object(json, "extra_data");
    json_text(json, "student", member->id);
    json_text(json, "status", export_status(member));
    json_number(json, "points", member->points);
    json_number(json, "bonus", member->bonus);
    json_integer(json, "max", export->course->most);
    json_integer(json, "earned", member->earned);
    json_integer(json, "earned_bonus", member->earned_bonus);
    json_bool(json, "late", member->is_late);
    json_bool(json, "override", member->override != NULL);
    put_environment(json, member->environment);
    json_end_object(json);
}

void export_gradescope(const struct export *export, const struct course_member *member, FILE *file)
{
    struct json json = {.file = file};
    json_object(&json, NULL);
    json_number(&json, "score", export_total(member));
    json_fixed(&json, "execution_time", member->record ? member->record->took_s : 0, 3);
    put_text(&json, "output", export_words(export, member, false));
    json_text(&json, "output_format", "text");
    json_text(&json, "test_output_format", "text");
    json_text(&json, "test_name_format", "text");
    json_text(&json, "visibility", "visible");
    json_text(&json, "stdout_visibility", "hidden");
    json_line(&json);
    put_extra(&json, export, member);
    json_line(&json);
    put_tests(&json, export, member->record);
    json_line(&json);
    put_leaderboard(&json, member);
    json_end_object(&json);
    fputc('\n', file);
}
