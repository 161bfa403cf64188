/* platform.c - see platform.h. A submission that is graded alone is a class of one: what is taken of it and how it is written are
 * those of a batch (course/intake.h, course/export.h). */
#define _GNU_SOURCE
#include "grader/platform.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "grader/course/export.h"
#include "grader/course/intake.h"
#include "grader/files.h"
#include "grader/recorded.h"

/* ------------------------------------------------------------------------------------------- the file */

static bool use_file(struct grading *grading, const struct intake_submission *one, char *path, size_t size)
{
    const char *id = grading->session->entry->id;
    snprintf(grading->taken, sizeof grading->taken, "%s", one->note ? one->note : "");
    wrap_end_at_word(grading->taken, sizeof grading->taken);
    if (one->path)
        return (size_t)snprintf(path, size, "%s", one->path) < size ||
               grading_refuse(grading, "%s.cu: its path is too long.", id);
    return one->is_ours ? grading_fail(grading, OUTCOME_OURS, "%s.cu: %s.", id, one->flaw)
                        : grading_refuse(grading, "%s.cu: %s.", id, one->flaw);
}

bool platform_find_file(struct grading *grading, char *path, size_t size)
{
    const struct session *session = grading->session;
    struct intake_submission one = {.path = NULL};
    char name[64], work[GRADE_PATH + 20];
    snprintf(name, sizeof name, "%s.cu", session->entry->id);
    snprintf(grading->shown, sizeof grading->shown, "%s", name);
    snprintf(work, sizeof work, "%s/taken", session->folder);
    const bool is_found =
        files_make_folder(work) && intake_read_one(&one, path, name, work)
            ? use_file(grading, &one, path, size)
            : grading_fail(grading, OUTCOME_OURS, "What was handed in cannot be looked at.");
    intake_free_one(&one);
    return is_found;
}

/* ------------------------------------------------------------------------------------------- a class of one */

/* Who it is and when it was handed in, runners say in variables; a platform that says neither knows both. */
static bool name_record(const struct grading *grading, struct record *record)
{
    const char *owner = getenv("OWNER"), *when = getenv("SUBMITTED_AT");
    char now[RECORDED_TIME];
    recorded_now(now);
    char *student = utf8_name(owner ? owner : "");
    const bool is_named = student && record_set(&record->student, student);
    free(student);
    return is_named && record_set(&record->source, grading->shown) && record_set(&record->hash, "") &&
           record_set(&record->note, grading->taken) && record_set(&record->submitted, when ? when : "") &&
           record_set(&record->begun, now);
}

static bool make_class(const struct grading *grading, struct course *course)
{
    struct record_environment environment = {.lab = NULL};
    const bool is_done = recorded_course(grading->session, course) && record_set(&course->take, "") &&
                         record_set(&course->late, "") && record_set(&course->deadline, "") &&
                         recorded_environment(grading->session, &environment) &&
                         store_content_add(&course->content, &environment) &&
                         name_record(grading, &course->content.records[0]) &&
                         recorded_grading(grading, &course->content.records[0]) && course_arrange(course) &&
                         course->nmembers;
    record_free_row(&record_environment_shape, &environment);
    return is_done;
}

static bool put_class(const struct grading *grading, const struct export_format *format, FILE *file)
{
    struct course course = {.lab = NULL};
    struct export export = {.course = NULL};
    const bool is_done = make_class(grading, &course) && export_open(&export, &course, NULL);
    if (is_done)
        format->write(&export, &course.members[0], file);
    export_close(&export);
    course_free(&course);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- the whole */

/* A stage that the kit could not judge has no points, and so has the whole. */
static bool is_ours(const struct grading *grading)
{
    for (int i = 0; i < grading->nstages; i++) {
        const struct verdict *verdict = grading->stages[i].verdict;
        if (verdict && *verdict->failure)
            return true;
    }
    return grading->outcome == OUTCOME_OURS;
}

static void put_error(const char *trouble, FILE *file)
{
    struct json json = {.file = file};
    char text[3000];
    snprintf(
        text, sizeof text,
        "Error of the kit or of the machine that grades: there is no grade, and your file is not to blame. "
        "Tell your instructor, or hand it in again later.\n%.2400s",
        trouble ? trouble : "A stage could not be judged.");
    json_object(&json, NULL);
    json_text(&json, "output", text);
    json_text(&json, "stdout_visibility", "hidden");
    json_end_object(&json);
    fputc('\n', file);
}

/* The report's functions print. */
static void put_text(const struct grading *grading, FILE *file)
{
    FILE *before = stdout;
    stdout = file;
    report_begin(grading);
    for (int i = 0; i < grading->nstages && !grading->trouble; i++)
        report_stage(grading, &grading->stages[i]);
    report_end(grading);
    stdout = before;
}

static const char *const forms[] = {"gradescope", "classroom50", "text"};

bool platform_is_known(const char *form)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(form, forms[i]) == 0)
            return true;
    }
    return false;
}

void platform_put(const struct grading *grading, const char *form, FILE *file)
{
    const struct export_format *format = export_find_format(form);
    if (!format)
        put_text(grading, file);
    else if (is_ours(grading))
        put_error(grading->trouble, file);
    else if (!put_class(grading, format, file))
        put_error("Out of memory.", file);
}

bool platform_save(const struct grading *grading, const char *form, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    platform_put(grading, form, file);
    const bool is_done = fclose(file) == 0 && files_replace(path, text, size);
    free(text);
    return is_done;
}
