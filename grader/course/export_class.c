/* export_class.c - who is exported, under which stages, and into files of which names: see export.h. */
#define _GNU_SOURCE
#include "grader/course/export.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/sha256.h"

enum { MOST_TEXT = 64 << 10, MOST_STEM = 80 };

/* ------------------------------------------------------------------------------------------- stages */

static bool add_stage(struct export *export, const struct record_stage *stage)
{
    for (size_t i = 0; i < export->nstages; i++) {
        if (strcmp(export->stages[i].id, stage->id) == 0)
            return true;
    }
    struct export_stage *stages = realloc(export->stages, (export->nstages + 1) * sizeof *stages);
    if (!stages)
        return false;
    export->stages = stages;
    stages[export->nstages++] = (struct export_stage){stage->row, stage->most, stage->id, stage->is_bonus};
    return true;
}

static int by_row(const void *a, const void *b)
{
    const struct export_stage *one = a, *other = b;
    return one->row != other->row ? (one->row > other->row) - (one->row < other->row)
                                  : strcmp(one->id, other->id);
}

/* ------------------------------------------------------------------------------------------- open, close */

bool export_open(struct export *export, const struct course *course, const struct course_member *only)
{
    struct timespec now;
    bool is_done = true;
    clock_gettime(CLOCK_REALTIME, &now);
    *export = (struct export){.course = course,
                              .only = only,
                              .now_ms = now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000,
                              .most_text = MOST_TEXT};
    for (size_t i = 0; i < course->nmembers; i++) {
        const struct record *record = course->members[i].record;
        for (size_t k = 0; record && k < record->nstages && is_done; k++)
            is_done = add_stage(export, &record->stages[k]);
    }
    if (export->nstages)
        qsort(export->stages, export->nstages, sizeof *export->stages, by_row);
    return is_done;
}

void export_close(struct export *export)
{
    free(export->stages);
    *export = (struct export){.course = NULL};
}

bool export_takes(const struct export *export, const struct course_member *member)
{
    return !member->is_left_out && (!export->only || export->only == member);
}

bool export_is_lost(const struct course_member *member)
{
    return (member->record || member->is_waiting) && !member->has_grade;
}

/* ------------------------------------------------------------------------------------------- names of files */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* What can stay of an id. It does not begin with a dot or a dash: no hidden file, no option. */
static void write_stem(const char *id, char out[MOST_STEM + 1])
{
    size_t n = 0;
    for (; n < MOST_STEM && id[n]; n++)
        out[n] = is_letter(id[n]) && (n > 0 || (*id != '.' && *id != '-')) ? id[n] : '_';
    if (n == 0)
        out[n++] = '_';
    out[n] = '\0';
}

/* "b_b-0123456789abcdef": as names that were told apart look. */
static bool looks_told_apart(const char *stem)
{
    const size_t length = strlen(stem);
    return length > 17 && stem[length - 17] == '-' &&
           strspn(stem + length - 16, "0123456789abcdefABCDEF") == 16;
}

static bool is_shared(const struct export *export, const struct course_member *member, const char *stem)
{
    char other[MOST_STEM + 1];
    for (size_t i = 0; i < export->course->nmembers; i++) {
        write_stem(export->course->members[i].id, other);
        if (&export->course->members[i] != member && strcasecmp(other, stem) == 0)
            return true;
    }
    return false;
}

/* A stem that is not the id itself, or that two have, is told apart by a number of the id. Students choose ids: nobody can choose
 * one with another's file name. */
void export_file_name(const struct export *export, const struct course_member *member, const char *ending,
                      char out[EXPORT_NAME])
{
    char stem[MOST_STEM + 1];
    write_stem(member->id, stem);
    if (strcmp(stem, member->id) == 0 && !looks_told_apart(stem) && !is_shared(export, member, stem))
        snprintf(out, EXPORT_NAME, "%s%s", stem, ending);
    else
        snprintf(out, EXPORT_NAME, "%s-%016llx%s", stem,
                 (unsigned long long)sha256_seed(0, member->id, strlen(member->id)), ending);
}

bool export_is_file_name(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    bool is_one = length > end && length < EXPORT_NAME && *name != '.' && *name != '-' &&
                  strcmp(name + length - end, ending) == 0;
    for (; *name; name++)
        is_one = is_one && is_letter(*name);
    return is_one;
}
