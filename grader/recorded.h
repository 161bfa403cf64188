/* recorded.h - a grading as a record of a class (course/record.h): facts are copied, nothing is decided but the status. */
#ifndef RECORDED_H
#define RECORDED_H

#include "grader/course/course.h"
#include "grader/grade.h"

/* What grades here, and with what. `driver` and `toolkit` come from files; "" where they are not known. False: out of memory. */
bool recorded_environment(const struct session *session, struct record_environment *out);
/* The lab's stages, as lines for course_read_stages(). NULL: out of memory. */
char *recorded_stages(const struct lab *lab);
/* A class of which nothing is known but the lab. False: out of memory. */
bool recorded_course(const struct session *session, struct course *course);
/* All but source, student, note and times of the submission. False: out of memory. */
bool recorded_grading(const struct grading *grading, struct record *out);
/* The first line of what went wrong; where it only announces the compiler's words, with the first error of them. */
void recorded_summary(const char *text, char *out, size_t size);

/* "2026-11-17T09:12:33Z". */
enum { RECORDED_TIME = 40 };
void recorded_now(char out[RECORDED_TIME]);

/* What became of a submission, in a line on standard output, and what of it counts for the member whose it is; NULL: not known.
 * is_followed: a later submission of the same student, perhaps not graded yet, counts. */
void recorded_put_line(const struct record *record, const struct course_member *member, bool is_followed);
/* A folder of results that others could read is closed; what holds no store stays as it is. */
void recorded_close(const char *folder);
/* results.csv in a folder. False: errno says why. */
bool recorded_save_csv(const struct course *course, const char *folder);

#endif
