/* export_prairielearn.c - results.json of a PrairieLearn external grader. The score is a share from 0 to 1, so that a bonus only
 * makes up for lost points. At most 1 MB: explanations become shorter until it fits. */
#define _GNU_SOURCE
#include "grader/course/export_each.h"

#include <stdlib.h>

#include "base/json.h"
#include "grader/course/export_words.h"

enum { MOST_BYTES = 1000000, LEAST_TEXT = 16 };

static void put_text(struct json *json, const char *key, char *text)
{
    json_text(json, key, text);
    free(text);
}

static void put_tests(struct json *json, const struct export *export, const struct record *record)
{
    json_list(json, "tests");
    for (size_t i = 0; record && i < record->nstages; i++) {
        const struct record_stage *stage = &record->stages[i];
        json_line(json);
        json_object(json, NULL);
        json_text(json, "name", stage->id);
        put_text(json, "description", export_plain(export, stage->title));
        json_integer(json, "points", stage->points);
        json_integer(json, "max_points", stage->most);
        put_text(json, "message", export_hint(export, stage));
        put_text(json, "output", export_stage_words(export, record, stage));
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_all(const struct export *export, const struct course_member *member, FILE *file)
{
    struct json json = {.file = file};
    const double most = (double)export->course->most;
    json_object(&json, NULL);
    json_bool(&json, "gradable", true);
    json_number(&json, "score", most > 0 ? export_capped(export, member) / (double)most : 0);
    json_number(&json, "points", member->points);
    json_number(&json, "bonus", member->bonus);
    json_integer(&json, "max_points", export->course->most);
    json_text(&json, "status", export_status(member));
    put_text(&json, "message", export_words(export, member, true));
    put_tests(&json, export, member->record);
    json_end_object(&json);
    fputc('\n', file);
}

void export_prairielearn(const struct export *export, const struct course_member *member, FILE *file)
{
    struct export shorter = *export;
    char *text = NULL;
    size_t size = 0;
    for (bool is_long = true; is_long; shorter.most_text /= 2) {
        free(text);
        text = NULL;
        FILE *memory = open_memstream(&text, &size);
        if (!memory)
            return;
        put_all(&shorter, member, memory);
        is_long = fclose(memory) == 0 && size > MOST_BYTES && shorter.most_text > LEAST_TEXT;
    }
    if (text)
        fwrite(text, 1, size, file);
    free(text);
}
