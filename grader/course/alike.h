/* alike.h - how much submissions have in common beyond what they were given. Pure: no files, no programs.
 *
 * A text is read as tokens that stay the same in a disguised copy (alike_tokens.c): macros are expanded, all names, numbers and
 * types are the same, operands have one order, comments and layout are nothing. Two texts share a token where ALIKE_GRAM
 * tokens in a row around it stand in both; where in the file is all the same.
 * Tokens that the skeleton has are *known*, and so is what one text has over and over: they never count. All others are the text's own.
 * Own tokens that many have are *common*, and count nothing between two students: that is how one writes such a kernel. But many
 * who copied one file share a whole file, not a statement. So texts that share most of all they have count as one, with the kit's
 * solution among them, when it is counted how many have a statement; and nothing is common between a text and the solution.
 * Own tokens that stand in the kit's solution too are *obvious*: with few texts nothing else tells how one writes such a kernel. They
 * count for a quarter between two students, in full with the solution itself.
 * A percentage says nothing of how much there is to be different in: one stage alone has few ways to be written, and independent files of
 * four stages share up to 84 % where their copies share 86 % and more (make similar-report). So the shorter a text is, the more it must
 * share to be told, and pairs that share less than ALIKE_SHORT make groups of their own, behind all others. */
#ifndef ALIKE_H
#define ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALIKE_GRAM = 14,       /* tokens; about a statement */
    ALIKE_FEW = 4,         /* so many may share something before it is common, ... */
    ALIKE_FEW_PART = 8,    /* ... or one of so many */
    ALIKE_WHOLE = 97,      /* percent: texts that share so much of their own tokens count as one, ... */
    ALIKE_WHOLE_LONG = 70, /* ... or so much, ... */
    ALIKE_LONG = 400,      /* ... if that is so many tokens */
    ALIKE_PART = 60,       /* percent: alike enough to be told, of texts with ALIKE_MUCH of their own, ... */
    ALIKE_MOSTLY = 85,     /* ... and of those with half of that: between them in proportion, ... */
    ALIKE_MUCH = 1400,     /* ... in tokens by what they count */
    ALIKE_NEARLY = 80,     /* percent: nearly the same */
    ALIKE_AGAIN = 8,       /* so often a text may repeat itself; more is padding */
    ALIKE_LEAST =
        100, /* own tokens; parts of less are told as parts of so many: few can be the same by chance */
    ALIKE_SHORT = 125, /* tokens by what they count: who shares less is told apart, whatever the percentage */
    ALIKE_MOST = 20000 /* tokens of a text that are looked at */
};

struct alike_token {
    uint32_t at, line; /* byte; line from 0 */
    uint16_t kind, length;
    bool is_known, is_common, is_obvious;
};

struct alike_text {
    /* set by the caller */
    const char *text; /* ends with a NUL */
    bool is_solution; /* the kit's */

    struct alike_token *tokens;
    size_t ntokens, own; /* own: not known */
    size_t nlines;
    struct alike_line {
        uint32_t own;  /* tokens */
        bool is_known; /* it has tokens, and none of its own */
        bool is_apart; /* the other text of the last alike_find_runs() has not all of its own ones */
    } * lines;
    struct alike_gram {
        uint64_t hash;
        uint32_t at; /* its first token */
    } * grams;       /* by hash, then place */
    size_t ngrams;
    bool *is_shared; /* by token: room for a comparison */
};

/* Fills tokens and nlines. False: out of memory. */
bool alike_read_tokens(struct alike_text *text);

/* Of the row of tokens that begins there. */
uint64_t alike_hash(const struct alike_text *text, size_t at);
/* Sets of texts, as a forest: the one that stands for all in the set of `which`. */
uint32_t alike_first_of(uint32_t *first, uint32_t which);

/* Reads all of them, and finds what is known, common, obvious. `given`: the skeleton, and what else every student has; may be NULL.
 * False: out of memory. alike_free() always. */
bool alike_read(struct alike_text *texts, size_t count, char *const *given, size_t ngiven);
void alike_free(struct alike_text *texts, size_t count);

struct alike_pair {
    uint32_t a, b; /* a < b */
    long common;   /* own tokens of the one that has fewer in common */
    int percent;   /* of the shorter one's own, by what they count */
    long own;      /* tokens of the shorter one, by what they count */
    bool is_short; /* what they share is so little that two may write it alike by chance */
};
/* How alike two texts are. is_raw: common and obvious tokens count like all others, as with the
 * solution, and however few there are. */
struct alike_pair alike_compare(struct alike_text *texts, uint32_t a, uint32_t b, bool is_raw);
/* How much a pair must have in common to be told, in percent. */
int alike_needed(const struct alike_pair *pair);
/* Pairs that are at least so much alike (0: as much as alike_needed() says), the most alike first, those of short texts behind all others. To be freed; NULL: out of memory. */
struct alike_pair *alike_rank(struct alike_text *texts, size_t ntexts, int least, size_t *count);

/* Texts that pairs connect; pairs of short texts only where no other does. */
struct alike_group {
    const uint32_t *members; /* students' texts, in order */
    size_t nmembers;
    const struct alike_pair *strongest;
    bool has_solution;
};
struct alike_groups {
    struct alike_group *list; /* the largest first, then the most alike; those of short texts behind them */
    size_t count, nshort;     /* nshort of them are of short texts */
    uint32_t *members;        /* what the list points to */
};
bool alike_group(const struct alike_text *texts, size_t ntexts, const struct alike_pair *pairs, size_t npairs,
                 struct alike_groups *groups);
void alike_free_groups(struct alike_groups *groups);

/* A run that two texts have in common; lines from 0, the last included. */
struct alike_run {
    uint32_t a_from, a_to, b_from, b_to;
};
/* To be freed; NULL: out of memory. Also marks the lines of both where they differ. */
struct alike_run *alike_find_runs(struct alike_text *texts, const struct alike_pair *pair, size_t *count);

#endif
