/* export_gradebook.h - the gradebook that Canvas has exported: which column is the lab's, and who is who in it.
 * Canvas takes a column for an assignment by its heading, "Lab 3 (12345)", and knows students by the cells that it wrote itself: both are
 * written back as they came. */
#ifndef EXPORT_GRADEBOOK_H
#define EXPORT_GRADEBOOK_H

#include "grader/course/csv.h"
#include "grader/course/export.h"

struct export_gradebook {
    struct csv table;
    int column;                       /* of the assignment; -1: it is not known */
    const struct course_member **who; /* by row; NULL: nobody of the class */
};

/* wanted: a heading of it, with or without its number; NULL: the one that names the lab. False: error says why; close it always. */
bool export_gradebook_open(struct export_gradebook *book, const char *text, const char *wanted,
                           const struct course *course, char *error, size_t size);
/* The one that was the class's roster: course->gradebook. False: out of memory. */
bool export_gradebook_open_roster(struct export_gradebook *book, const struct course *course);
void export_gradebook_close(struct export_gradebook *book);
/* Whether a member has a row in it. */
bool export_gradebook_has(const struct export_gradebook *book, const struct course_member *member);
/* The gradebook's own columns about students, the assignment's, and nothing else. assignment: its heading where it is not known. */
void export_gradebook_write(const struct export *export, const char *assignment, FILE *file);

/* What of a roster's text is to be kept for an export: Canvas' columns about students and the lab's, no other grades. "": it has none;
 * NULL: out of memory. To be freed. */
char *export_gradebook_keep(const char *text, const char *lab);

#endif
