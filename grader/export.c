/* export.c - ./grade export: the points of a class for course platforms. Says on stderr whose submission has no grade by a fault of
 * the kit, and then ends with 2: a script must not take such an export for complete. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "grader/export_folder.h"

struct job {
    struct session *session;
    const struct export_format *format;
    struct store store;
    struct course course;
    const struct course_member *only;
    struct export export;
};

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
    if (!store_exists(&job->store))
        return session_fail(job->session, "%s holds no results of a class: ./grade batch makes them.",
                            job->session->options->names[1]);
    return course_load(&job->course, &job->store) || session_fail(job->session, "%s", job->store.error);
}

static bool find_member(struct job *job)
{
    const char *who = job->session->options->only;
    job->only = who ? course_find(&job->course, who) : NULL;
    if (who && !job->only)
        return session_fail(job->session, "Nobody is called `%s`, or more than one.", who);
    if (job->only && job->format->is_per_student && !job->only->has_grade)
        return session_fail(job->session, "`%s` has no grade: nothing is written.", who);
    return true;
}

/* ------------------------------------------------------------------------------------------- what is done */

static bool write_all(struct job *job)
{
    struct export_output output = {job->format, &job->export, job->session->options->output, 0, ""};
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

/* Returns how many there are. */
static int tell_lost(const struct job *job)
{
    int lost = 0;
    for (size_t i = 0; i < job->course.nmembers; i++) {
        const struct course_member *member = &job->course.members[i];
        if (!export_is_lost(member) || !export_takes(&job->export, member))
            continue;
        char *who = utf8_plain(member->id), *why = utf8_plain(member->record ? member->record->message : "");
        if (why)
            why[strcspn(why, "\n")] = '\0';
        fprintf(stderr, "grade: %s has no grade, and none is exported: %s%s%s\n", who ? who : "",
                course_status(member), why && *why ? ": " : "", why ? why : "");
        free(who);
        free(why);
        lost++;
    }
    return lost;
}

enum outcome export_run(struct session *session)
{
    struct job job = {.session = session};
    int lost = 0;
    const bool is_done =
        find_format(&job) && check_place(&job) && load(&job) && find_member(&job) &&
        (export_open(&job.export, &job.course, job.only) || session_fail(session, "Out of memory.")) &&
        write_all(&job);
    if (is_done)
        lost = tell_lost(&job);
    else
        fprintf(stderr, "grade: %s\n", session->error);
    export_close(&job.export);
    course_free(&job.course);
    return is_done && !lost ? OUTCOME_GRADED : OUTCOME_OURS;
}
