/* course_sums.c - a class in a few lines: how many ended how, and who of them wants to be looked after. The same words stand at the end
 * of a batch, of ./grade results and of an export. */
#include "grader/course/course.h"

#include <string.h>

enum { NAMED = 12 };

void course_put_counts(const struct course_member *const *members, size_t count, FILE *file)
{
    static const char *const others[] = {COURSE_WAITING, COURSE_MISSING};
    fprintf(file, "%zu student%s", count, count == 1 ? "" : "s");
    for (int s = 0; s < RECORD_NSTATUSES + 2; s++) {
        const char *status = s < RECORD_NSTATUSES ? record_status_names[s] : others[s - RECORD_NSTATUSES];
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += strcmp(course_status(members[i]), status) == 0;
        if (found)
            fprintf(file, ", %zu %s", found, status);
    }
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

/* Where there is a roster. */
static bool is_unknown(const struct course *course, const struct course_member *member)
{
    return course->content.nstudents && !member->who;
}

static void put_names(const struct course *course, const char *before,
                      bool (*is_one)(const struct course *, const struct course_member *), FILE *file)
{
    size_t count = 0;
    for (size_t i = 0; i < course->nmembers; i++) {
        const struct course_member *member = &course->members[i];
        if (!is_one(course, member))
            continue;
        if (count < NAMED)
            fprintf(file, "%s%s", count ? ", " : before, member->name);
        count++;
    }
    if (count > NAMED)
        fprintf(file, ", and %zu more", count - NAMED);
    if (count)
        fputc('\n', file);
}

void course_put_absent(const struct course *course, FILE *file)
{
    put_names(course, "Not graded yet: ", is_waiting, file);
    put_names(course, "Missing, no submission: ", is_missing, file);
    put_names(course, "In no roster: ", is_unknown, file);
    const size_t timeless = course_count_timeless(course);
    if (timeless)
        fprintf(file, "Of %zu it is not known when they came: they cannot be late.\n", timeless);
}
