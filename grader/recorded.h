/* recorded.h - a grading as a record of a class (course/record.h): facts are copied, nothing is decided but the status. */
#ifndef RECORDED_H
#define RECORDED_H

#include "grader/course/course.h"
#include "grader/grade.h"

/* What grades here, and with what. `driver` and `toolkit` come from files; "" where they are not known. False: out of memory. */
bool recorded_environment(const struct session *session, struct record_environment *out);
/* All but source, student, note and times of the submission. False: out of memory. */
bool recorded_grading(const struct grading *grading, struct record *out);
/* The first line of what went wrong; where it only announces the compiler's words, with the first error of them. */
void recorded_summary(const char *text, char *out, size_t size);

/* What became of a submission, in a line on standard output. */
void recorded_put_line(const struct record *record);
/* results.csv in a folder. False: errno says why. */
bool recorded_save_csv(const struct course *course, const char *folder);

#endif
