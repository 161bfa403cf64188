/* export.h - a class's points in the formats that course platforms read. A new format is a row of the table in export_formats.c.
 * All are written from a struct course alone, into a FILE; which files there are is the business of grader/export.c.
 * What has no grade is never written as a zero: tables have an empty cell, and there is no file of its own. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "grader/course/course.h"

/* A stage that anybody's submission was graded by. */
struct export_stage {
    long row, most;
    const char *id;
    bool is_bonus;
};

/* What is exported. */
struct export
{
    const struct course *course;
    const struct course_member *only; /* NULL: all */
    int64_t now_ms;                   /* since 1970 */
    size_t most_text;                 /* bytes of one explanation; what is longer is cut, with words */
    const struct export_gradebook *gradebook; /* Canvas' own; NULL: none was given */
    struct export_stage *stages;              /* in the order of the lab's table */
    size_t nstages;
};

struct export_format {
    const char *name;
    const char *ending;  /* of its files: ".json" */
    bool is_per_student; /* a file for each; member is whose. Otherwise one for all, and member is NULL */
    void (*write)(const struct export *export, const struct course_member *member, FILE *file);
    const char *begins;  /* how every such file begins; NULL: with the same line as any other of this class */
    const char *meaning; /* for --help */
};
/* The last has no name. */
extern const struct export_format export_formats[];
/* NULL: there is none. */
const struct export_format *export_find_format(const char *name);

/* False: out of memory. export_close() always. */
bool export_open(struct export *export, const struct course *course, const struct course_member *only);
void export_close(struct export *export);
/* Whether this one is to be exported at all. */
bool export_takes(const struct export *export, const struct course_member *member);
/* The submission failed by a fault of the kit or the machine, or was not graded yet, and nobody gave points by hand. */
bool export_is_lost(const struct course_member *member);

/* Rows of a Moodle worksheet that Moodle will skip: nobody knows which number it gave the student. */
size_t export_count_skipped(const struct export *export);

/* "anna.json": letters, digits and -_. alone, at most EXPORT_NAME bytes, no other member's even where case does not count. */
enum { EXPORT_NAME = 128 };
void export_file_name(const struct export *export, const struct course_member *member, const char *ending,
                      char out[EXPORT_NAME]);
/* Whether a name could have come from there, so that a list of files that somebody changed does no harm. */
bool export_is_file_name(const char *name, const char *ending);

#endif
