/* export_classroom50.c - result.json of Classroom 50 (schema classroom50/result/v1). Points are whole and never above the maximum:
 * what a bonus goes beyond it stands in words. Which classroom, submission and commit it is, the runner tells its autograder in the
 * environment; the owner it sets itself. */
#include "grader/course/export_each.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "grader/course/export_words.h"

static const char *told(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

static void put_names(struct json *json, const struct export *export, const struct course_member *member,
                      const char *submitted)
{
    char tag[EXPORT_TIME + 10];
    snprintf(tag, sizeof tag, "submit/%s", submitted);
    const char *submission = told("SUBMISSION_TAG", tag);
    const bool is_tag = strncmp(submission, "submit/", 7) == 0;
    const char *commit = told("COMMIT_URL", submission);
    json_text(json, "classroom", told("CLASSROOM", "classroom"));
    json_text(json, "assignment", told("ASSIGNMENT", *export->course->lab ? export->course->lab : "lab"));
    json_text(json, "assignment_type", strcmp(told("MODE", ""), "group") == 0 ? "group" : "individual");
    json_text(json, "owner", *member->id ? member->id : "unknown");
    json_text(json, "submission", is_tag ? submission : tag);
    json_text(json, "commit", commit);
    json_text(json, "release", told("RELEASE_URL", commit));
    json_text(json, "review", told("REVIEW_URL", commit));
}

static void put_test(struct json *json, const char *name, long score, long most, bool has_passed,
                     char *message)
{
    json_line(json);
    json_object(json, NULL);
    json_text(json, "test-name", *name ? name : "stage");
    json_bool(json, "passed", has_passed);
    json_integer(json, "score", smaller_of(larger_of(score, 0L), larger_of(most, 0L)));
    json_integer(json, "max-score", larger_of(most, 0L));
    json_text(json, "message", message);
    json_end_object(json);
    free(message);
}

/* A test of no points carries the words about the whole: the form has no other place for them. */
static void put_tests(struct json *json, const struct export *export, const struct course_member *member)
{
    const struct record *record = member->record;
    json_list(json, "tests");
    for (size_t i = 0; record && i < record->nstages; i++) {
        const struct record_stage *stage = &record->stages[i];
        put_test(json, stage->id, stage->points, stage->most, export_has_all(stage),
                 export_stage_words(export, record, stage));
    }
    put_test(json, "all stages together", 0, 0, true, export_words(export, member, true));
    json_end_list(json);
}

void export_classroom50(const struct export *export, const struct course_member *member, FILE *file)
{
    char submitted[EXPORT_TIME], graded[EXPORT_TIME];
    struct json json = {.file = file};
    const struct record *record = member->record;
    const char *begun = record ? record->begun : "";
    export_time(export, record && *record->submitted ? record->submitted : begun, submitted);
    export_time(export, begun, graded);
    json_object(&json, NULL);
    json_text(&json, "schema", "classroom50/result/v1");
    put_names(&json, export, member, submitted);
    json_text(&json, "datetime", submitted);
    json_text(&json, "graded_at", graded);
    json_integer(&json, "score", (long)export_capped(export, member));
    json_integer(&json, "max-score", export->course->most);
    put_tests(&json, export, member);
    json_end_object(&json);
    fputc('\n', file);
}
