/* export_each.h - the functions that export_formats.c lists; each has a file of its own, or one with its family. */
#ifndef EXPORT_EACH_H
#define EXPORT_EACH_H

#include "grader/course/export.h"

void export_csv(const struct export *export, const struct course_member *member, FILE *file);
void export_canvas(const struct export *export, const struct course_member *member, FILE *file);
void export_moodle(const struct export *export, const struct course_member *member, FILE *file);
void export_junit(const struct export *export, const struct course_member *member, FILE *file);
void export_gradescope(const struct export *export, const struct course_member *member, FILE *file);
void export_autolab(const struct export *export, const struct course_member *member, FILE *file);
void export_classroom50(const struct export *export, const struct course_member *member, FILE *file);
void export_prairielearn(const struct export *export, const struct course_member *member, FILE *file);
void export_lti(const struct export *export, const struct course_member *member, FILE *file);

#endif
