/* export_lti.c - a score as LTI's Assignment and Grade Services take it (application/vnd.ims.lis.v1.score+json), ready to be posted.
 * The timestamp is the export's, since late rules and points by hand change scores after grading, and platforms ignore a score that
 * is older than the one they have. When it was submitted is not said: late points are taken off already, and must not be twice. */
#include "grader/course/export_each.h"

#include <stdlib.h>

#include "base/json.h"
#include "grader/course/export_words.h"

static void write_now(const struct export *export, char out[EXPORT_TIME])
{
    export_time(export, "", out);
    snprintf(out + 19, EXPORT_TIME - 19, ".%03dZ", (int)(export->now_ms % 1000));
}

void export_lti(const struct export *export, const struct course_member *member, FILE *file)
{
    struct json json = {.file = file};
    char now[EXPORT_TIME], *words = export_words(export, member, false);
    write_now(export, now);
    json_object(&json, NULL);
    json_text(&json, "userId", member->id);
    json_number(&json, "scoreGiven", export_total(member));
    json_integer(&json, "scoreMaximum", export->course->most);
    json_text(&json, "comment", words);
    json_text(&json, "timestamp", now);
    json_text(&json, "activityProgress", "Completed");
    json_text(&json, "gradingProgress", "FullyGraded");
    json_end_object(&json);
    fputc('\n', file);
    free(words);
}
