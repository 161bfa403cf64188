/* alike.h - how much submissions have in common beyond what everybody has. Pure: no files, no programs.
 *
 * A text is read as tokens, in which all names, numbers and strings are the same; comments and layout are nothing. Tokens are
 * *known* where ALIKE_GRAM of them in a row stand in the skeleton as well, in the texts of more than a few, or over and over in the
 * same one: they say nothing about two. The rest is the submission's own. It is written out for a tool that finds the longest runs in common (sim_c), and what that
 * finds is counted here, as own tokens in lines that both share.
 * Own tokens that stand in the kit's solution too are *obvious*: with few texts nothing else tells how one writes such a kernel. They
 * count for a quarter, but between a text and the solution itself.
 * Texts with the same tokens count as one when it is counted how many have something: a copy must not make itself common. */
#ifndef ALIKE_H
#define ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    ALIKE_GRAM = 14,    /* tokens; about a statement */
    ALIKE_RUN = 20,     /* tokens that a run in common must have: for the tool */
    ALIKE_FEW = 4,      /* so many texts may share something before it is known, ... */
    ALIKE_FEW_PART = 8, /* ... or one of so many */
    ALIKE_AGAIN = 8, /* so often a text may repeat itself; more is padding, and would take a tool for ever */
    ALIKE_LEAST =
        100, /* own tokens; parts of less are told as parts of so many: little can be alike by chance */
    ALIKE_MOST = 20000 /* tokens of a text that are looked at */
};

struct alike_token {
    uint32_t at, line; /* byte; line from 0 */
    uint16_t kind, length;
    bool is_known, is_obvious;
};

struct alike_text {
    /* set by the caller */
    const char *text; /* ends with a NUL */
    bool is_solution; /* the kit's */

    struct alike_token *tokens;
    size_t ntokens, own; /* own: not known */
    size_t nlines;
    struct alike_line {
        uint32_t own, obvious; /* tokens of its own, and how many of them are obvious */
        bool is_known;         /* it has tokens, and all are known */
    } * lines;
    size_t obvious;
    uint64_t digest; /* of tokens that the skeleton does not have */
    bool is_again;   /* an earlier one has the same */
};

/* Reads all of them, and finds what is known. False: out of memory. alike_free() always. */
bool alike_read(struct alike_text *texts, size_t count, const char *skeleton);
void alike_free(struct alike_text *texts, size_t count);
/* The text with blanks for all that is known, line by line as it was. */
void alike_write(const struct alike_text *text, FILE *file);

/* A run that two texts have in common; lines from 0, the last included. */
struct alike_run {
    uint32_t a, b; /* texts, a < b */
    uint32_t a_from, a_to, b_from, b_to;
};
/* What `sim_c -n` prints about files FOLDER/NUMBER.c. To be freed; NULL: there is no memory. Lines that are no runs, and runs outside of
 * the texts, are left out. */
struct alike_run *alike_read_runs(const char *printed, const struct alike_text *texts, size_t ntexts,
                                  size_t *count);

struct alike_pair {
    uint32_t a, b;
    const struct alike_run *runs;
    size_t nruns;
    long common; /* own tokens of the one that has fewer in common */
    int percent; /* of the shorter one's own, by what they count */
};
/* Sorts runs, and tells of each pair that has some: the most alike first. To be freed; NULL: out of memory. */
struct alike_pair *alike_rank(const struct alike_text *texts, struct alike_run *runs, size_t nruns,
                              size_t *count);

#endif
