/* export.c - ./grade export: the points of a class for course platforms. Says on stderr whose submission has no grade by a fault of
 * the kit, and then ends with 2: a script must not take such an export for complete. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "grader/course/by_hand.h"
#include "grader/course/export_gradebook.h"
#include "grader/export_folder.h"
#include "grader/files.h"
#include "grader/recorded.h"

struct job {
    struct session *session;
    const struct export_format *format;
    struct store store;
    struct course course;
    const struct course_member *only;
    struct export export;
    struct export_gradebook book;
};

#define MOST_GRADEBOOK ((size_t)64 << 20)

/* ------------------------------------------------------------------------------------------- what is asked */

static bool find_format(struct job *job)
{
    const char *name = job->session->options->names[0];
    char list[200] = "";
    job->format = export_find_format(name);
    for (const struct export_format *one = export_formats; one->name; one++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", one->name);
    }
    return job->format || session_fail(job->session, "There is no format `%s`. There are %s.", name, list);
}

static bool check_place(const struct job *job)
{
    const struct options *options = job->session->options;
    return !job->format->is_per_student || options->only || options->output ||
           session_fail(job->session,
                        "%s is a file for each student: name a folder with -o, or one student with --only.",
                        job->format->name);
}

static bool load(struct job *job)
{
    store_name(&job->store, job->session->options->names[1]);
    recorded_close(job->session->options->names[1]);
    if (!store_exists(&job->store))
        return session_fail(job->session, "%s holds no results of a class: ./grade batch makes them.",
                            job->session->options->names[1]);
    return by_hand_load_course(&job->course, &job->store) ||
           session_fail(job->session, "%s", job->store.error);
}

static bool find_member(struct job *job)
{
    const char *who = job->session->options->only;
    char why[500];
    size_t count = 0;
    if (!course_choose(&job->course, who, why, sizeof why))
        return session_fail(job->session, "%s ./grade results %s lists them.", why,
                            job->session->options->names[1]);
    for (size_t i = 0; who && i < job->course.nmembers; i++) {
        if (!job->course.members[i].is_left_out && ++count)
            job->only = count == 1 ? &job->course.members[i] : NULL;
    }
    if (count > 1 && job->format->is_per_student && !job->session->options->output)
        return session_fail(job->session, "%s is a file for each student: name a folder with -o.",
                            job->format->name);
    if (job->only && job->format->is_per_student && !job->only->has_grade)
        return session_fail(job->session, "`%s` has no grade: nothing is written.", who);
    return true;
}

static bool read_given(struct job *job)
{
    const struct options *options = job->session->options;
    char why[500];
    size_t size;
    void *bytes = files_read(options->gradebook, MOST_GRADEBOOK, true, &size);
    char *text = bytes ? csv_text(bytes, size) : NULL;
    free(bytes);
    if (!text)
        return session_fail(job->session, "%s cannot be read: %s.", options->gradebook, strerror(errno));
    const bool is_read =
        export_gradebook_open(&job->book, text, options->column, &job->course, why, sizeof why);
    free(text);
    return is_read || session_fail(job->session, "%s: %s", options->gradebook, why);
}

/* The gradebook that is named, or the one that was the roster. */
static bool read_gradebook(struct job *job)
{
    const struct options *options = job->session->options;
    const bool is_canvas = strcmp(job->format->name, "canvas") == 0;
    if (options->column && !options->gradebook)
        return session_fail(job->session, "--column is for --gradebook.");
    if (options->gradebook && !is_canvas)
        return session_fail(job->session, "--gradebook is Canvas': ./grade export canvas.");
    if (!is_canvas || (!options->gradebook && !*job->course.gradebook))
        return true;
    job->export.gradebook = &job->book;
    return options->gradebook ? read_given(job)
                              : export_gradebook_open_roster(&job->book, &job->course) ||
                                    session_fail(job->session, "Out of memory.");
}

/* ------------------------------------------------------------------------------------------- what is done */

static bool write_all(struct job *job)
{
    struct export_output output = {.format = job->format,
                                   .export = &job->export,
                                   .path = job->session->options->output,
                                   .has_mark = job->session->options->has_mark};
    const bool is_folder = job->format->is_per_student && !job->only;
    const bool is_done = is_folder
                             ? export_write_folder(&output)
                             : export_write_file(&output, job->format->is_per_student ? job->only : NULL);
    if (!is_done)
        return session_fail(job->session, "%s", output.error);
    if (is_folder)
        printf("%zu files, and index.csv: %s\n", output.files, output.path);
    return true;
}

/* What platforms will not say of themselves. */
static void tell_class(const struct job *job)
{
    const size_t skipped = strcmp(job->format->name, "moodle") == 0 ? export_count_skipped(&job->export) : 0;
    if (skipped)
        fprintf(
            stderr,
            "grade: %zu row%s no `Participant` number: Moodle will skip %s. Give the batch Moodle's grading "
            "worksheet as --roster.\n",
            skipped, skipped == 1 ? " has" : "s have", skipped == 1 ? "it" : "them");
    for (size_t i = 0; job->export.gradebook && i < job->course.nmembers; i++) {
        const struct course_member *member = &job->course.members[i];
        if (export_takes(&job->export, member) && !export_gradebook_has(job->export.gradebook, member))
            fprintf(stderr, "grade: %s is not in the gradebook: no row is written.\n", member->name);
    }
    if (!job->session->options->only)
        course_put_absent(&job->course, stderr);
}

/* Returns how many there are. */
static int tell_lost(const struct job *job)
{
    int lost = 0, waiting = 0, without = 0;
    for (size_t i = 0; i < job->course.nmembers; i++) {
        const struct course_member *member = &job->course.members[i];
        if (!export_takes(&job->export, member))
            continue;
        waiting += strcmp(course_status(member), COURSE_WAITING) == 0;
        if (!export_is_lost(member))
            continue;
        lost++;
        without += !member->record;
        if (!member->record)
            continue;
        char *who = utf8_line(member->id), *why = utf8_plain(member->record ? member->record->message : "");
        if (why)
            why[strcspn(why, "\n")] = '\0';
        fprintf(stderr, "grade: %s has no grade, and none is exported: %s%s%s\n", who ? who : "",
                course_status(member), why && *why ? ": " : "", why ? why : "");
        free(who);
        free(why);
    }
    if (without)
        fprintf(stderr,
                "grade: %d %s not graded yet, and %d of them %s no points in this export: run ./grade batch "
                "again.\n",
                waiting, waiting == 1 ? "is" : "are", without, without == 1 ? "has" : "have");
    return lost;
}

enum outcome export_run(struct session *session)
{
    struct job job = {.session = session};
    int lost = 0;
    const bool is_done =
        find_format(&job) && check_place(&job) && load(&job) && find_member(&job) &&
        (export_open(&job.export, &job.course, job.only) || session_fail(session, "Out of memory.")) &&
        read_gradebook(&job) && write_all(&job);
    if (is_done) {
        lost = tell_lost(&job);
        tell_class(&job);
    } else
        fprintf(stderr, "grade: %s\n", session->error);
    export_gradebook_close(&job.book);
    export_close(&job.export);
    course_free(&job.course);
    return is_done && !lost ? OUTCOME_GRADED : OUTCOME_OURS;
}
