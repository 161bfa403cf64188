/* explain.h - what ./grade explain knows of a stage, shared by what the terminal shows (explain.c) and its page
 * (explain_page.c). */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "grader/grade.h"

/* A variable that names a page beside the one that is written, to which it leads back. */
#define EXPLAIN_BACK "WARPSTEP_BACK"

struct explained {
    struct grading *grading;
    const struct lab_stage *stage;
    const struct lab_stage
        *before; /* the step before, of the same file; NULL: there is none, or it does not run */
    struct verdict *verdict, *before_verdict;
    struct verdict *reference; /* of the kit's solution; NULL: there is none */
    char *source; /* the submission's text; NULL: a page does not need it, or it cannot be read */
};

/* Sentences: explain_words.c. */
/* The stage's row, from 1. */
int explain_row(const struct lab *lab, const struct lab_stage *stage);
/* Of a message about a kernel: its launches and what they take together. */
bool explain_read_title(const struct verdict_message *message, unsigned long long *launches, double *us);
/* "412 us, 27 % of a copy, 3.61x over the kit's naive (width 8192, height 8192)."; false: it was not timed. */
bool explain_write_time(const struct explained *explained, const struct verdict *verdict, char *out,
                        size_t size);
/* "The results are wrong in a small case: ..."; "": as far as anybody looked, they are right. */
void explain_write_wrong(const struct explained *explained, char *out, size_t size);
/* What the words about a kernel are of, where that is not all: "3 launches of it take 80 % of the time."; "" else. */
void explain_write_share(const struct verdict *verdict, const struct verdict_message *message, char *out,
                         size_t size);
/* "More about this step: ..."; "": there is nothing. */
void explain_write_next(const struct explained *explained, char *out, size_t size);

/* explain_reference.c: what the kit's solution counts in this stage; asked once, then kept beside the lab. NULL: it has none, or
 * that could not be found out. */
struct verdict *explain_reference(struct session *session, const struct lab_stage *stage);

/* explain_page.c: finds what a page has beyond the words, and writes it. False: a sentence was printed. */
void explain_look_further(struct explained *explained);
bool explain_write_page(const struct explained *explained, const char *path);

#endif
