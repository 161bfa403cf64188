/* platform.h - one submission's report in the form that a course platform reads: `./grade lab3 --file PATH --form gradescope`.
 * For autograders that grade one submission in a container of its own; needs no store and no other program. An error of the kit is
 * never a score: then there are words alone, which the platform takes for a run that failed. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct grading;

/* As ./grade export writes them; "text" is the report itself. */
#define PLATFORM_FORMS "gradescope|classroom50|text"

bool platform_is_known(const char *form);
/* Where a folder or an archive was handed in, the lab's file in it takes its place in `path`, by the rules of a batch. False: there is
 * none, or there are several, and the grading says so. */
bool platform_find_file(struct grading *grading, char *path, size_t size);
void platform_put(const struct grading *grading, const char *form, FILE *file);
/* The same as a file, there as a whole or not at all. False: errno says why. */
bool platform_save(const struct grading *grading, const char *form, const char *path);

#endif
