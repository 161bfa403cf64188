/* compiled.h - the object of the last text that was compiled for a lab, kept beside the kit: whoever asks about the same text again,
 * as explain and hint do after a grade, does not wait for the compiler. Only for a student's own runs: batches compile every text.
 * The kept file lies where no job in a sandbox can write. It fits a text if all that the compiler was given is the same: the text,
 * its name, headers, tools and their environment. */
#ifndef COMPILED_H
#define COMPILED_H

#include "grader/grade.h"

struct compiled {
    char key[65];    /* "": nothing is kept or found */
    uint8_t *object; /* to be freed; NULL: there is none */
    size_t bytes;
    char *warnings; /* of the compiler, as they are told; to be freed */
};

/* tools: the compilers' names and dates. */
void compiled_find(struct compiled *out, const struct grading *grading, const char *tools, int architecture);
/* If it cannot be kept, the next run compiles again. */
void compiled_keep(const struct compiled *compiled, const struct grading *grading, const void *object,
                   size_t bytes);
void compiled_free(struct compiled *compiled);

#endif
