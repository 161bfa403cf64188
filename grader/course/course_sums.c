/* course_sums.c - a class in a few lines: how many ended how, and who of them wants to be looked after. The same words stand at the end
 * of a batch, of ./grade results and of an export. */
#define _GNU_SOURCE
#include "grader/course/course.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAMED = 12 };

/* Where there is a roster. */
static bool is_unknown(const struct course *course, const struct course_member *member)
{
    return course->content.nstudents && !member->who;
}

/* "2 graded, 1 missing", each behind `before`. Returns how many members it is about. */
static size_t put_statuses(const struct course *course, const struct course_member *const *members,
                           size_t count, bool of_unknown, const char *before, FILE *file)
{
    static const char *const others[] = {COURSE_WAITING, COURSE_MISSING};
    size_t all = 0;
    for (int s = 0; s < RECORD_NSTATUSES + 2; s++) {
        const char *status = s < RECORD_NSTATUSES ? record_status_names[s] : others[s - RECORD_NSTATUSES];
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += strcmp(course_status(members[i]), status) == 0 &&
                     is_unknown(course, members[i]) == of_unknown;
        if (found && file)
            fprintf(file, "%s%zu %s", of_unknown && !all ? before : ", ", found, status);
        all += found;
    }
    return all;
}

void course_put_counts(const struct course *course, const struct course_member *const *members, size_t count,
                       FILE *file)
{
    const size_t known = put_statuses(course, members, count, false, "", NULL);
    fprintf(file, "%zu student%s", known, known == 1 ? "" : "s");
    put_statuses(course, members, count, false, "", file);
    put_statuses(course, members, count, true, "; in no roster: ", file);
    fputc('\n', file);
}

static bool is_waiting(const struct course *course, const struct course_member *member)
{
    (void)course;
    return strcmp(course_status(member), COURSE_WAITING) == 0;
}

static bool is_missing(const struct course *course, const struct course_member *member)
{
    (void)course;
    return strcmp(course_status(member), COURSE_MISSING) == 0;
}

/* ------------------------------------------------------------------------------------------- what does not count */

bool course_is_closed(const struct course *course, const struct course_member *member)
{
    struct course_late rule;
    return member->is_late && !member->override && course_read_late(course->late, &rule) && rule.closed_s &&
           member->late_s > rule.closed_s;
}

static bool is_uncounted(const struct course *course, const struct course_member *member)
{
    return member->submissions > 1 || course_is_closed(course, member);
}

/* "anna.cu (30 points)", "anna-1.cu (build failed)". */
static void put_other(const struct record *record, FILE *file)
{
    fprintf(file, "%s (", record->source);
    if (strcmp(record->status, record_status_names[RECORD_GRADED]) == 0)
        fprintf(file, "%ld points)", record->points + record->bonus);
    else
        fprintf(file, "%s)", record->status);
}

char *course_uncounted(const struct course *course, const struct course_member *member)
{
    const bool is_best = strcmp(course->take, "best") == 0;
    char *text = NULL;
    size_t size, others = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (course_is_closed(course, member))
        fprintf(file, "Too late to count; the rule is: %s.", course->late);
    for (size_t i = 0; member->submissions > 1 && i < course->content.nrecords; i++) {
        const struct record *record = &course->content.records[i];
        if (record == member->record || strcmp(record->student, member->id) != 0)
            continue;
        if (!others++)
            fprintf(file, "%sThe %s submission counts; not counted: ", ftell(file) > 0 ? " " : "",
                    is_best ? "best" : "last");
        else
            fputs(", ", file);
        put_other(record, file);
    }
    if (others)
        fputc('.', file);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- who is to be looked after */

/* Where two have one name, their ids tell them apart. */
static void put_member_name(const struct course *course, const struct course_member *member, FILE *file)
{
    bool is_shared = false;
    for (size_t i = 0; i < course->nmembers; i++)
        is_shared = is_shared ||
                    (&course->members[i] != member && strcasecmp(course->members[i].name, member->name) == 0);
    fputs(member->name, file);
    if (is_shared && strcmp(member->name, member->id) != 0)
        fprintf(file, " (%s)", member->id);
}

static void put_names(const struct course *course, const char *before,
                      bool (*is_one)(const struct course *, const struct course_member *), FILE *file)
{
    size_t count = 0;
    for (size_t i = 0; i < course->nmembers; i++) {
        const struct course_member *member = &course->members[i];
        if (!is_one(course, member))
            continue;
        if (count < NAMED) {
            fputs(count ? ", " : before, file);
            put_member_name(course, member, file);
        }
        count++;
    }
    if (count > NAMED)
        fprintf(file, ", and %zu more", count - NAMED);
    if (count)
        fputc('\n', file);
}

static bool is_timeless(const struct course *course, const struct course_member *member)
{
    return *course->deadline && member->record && !member->has_time && !member->is_late &&
           !course_unread_time(member);
}

void course_put_absent(const struct course *course, FILE *file)
{
    put_names(course, "Not graded yet: ", is_waiting, file);
    put_names(course, "Missing, no submission: ", is_missing, file);
    put_names(course, "In no roster: ", is_unknown, file);
    put_names(course, "With submissions that do not count: ", is_uncounted, file);
    put_names(course, "Nobody knows when these came, and they cannot be late: ", is_timeless, file);
    for (size_t i = 0; *course->deadline && i < course->nmembers; i++) {
        const char *text = course_unread_time(&course->members[i]);
        if (!text)
            continue;
        put_member_name(course, &course->members[i], file);
        fprintf(file, " cannot be late: \"%s\" is no time that can be read. 2026-11-17 23:59 is one.\n",
                text);
    }
}
