/* score.h - from facts to points: what a stage's table row promises, against what the judge found.
 * Pure: no files, no clock, no printing; the same row and verdict give the same score. */
#ifndef SCORE_H
#define SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/verdict.h"
#include "lab/lab.h"

enum score_backend { SCORE_VIRTUAL, SCORE_GPU };

struct score_bound {
    const struct lab_bound *bound; /* NULL: unused */
    double value;
    bool is_known, holds;
};

struct score_part {
    int points, most;
};

/* What right and clean results earn at most where nothing shows the step: a quarter of the stage. */
enum { SCORE_WITHOUT_STEP = 4 };
/* Where a finding says that a GPU may hang on it, or give other results at times: a half of the stage, whatever else is earned. */
enum { SCORE_WITH_LUCK = 2 };

struct score {
    struct score_part correct, clean, concept, speed, all;
    bool is_right, is_clean;
    bool has_concept; /* all bounds hold, and it is not clearly too slow */
    bool is_grave;    /* not clean, and of the kind that earns a half at most */
    /* what it does depends on what memory held before: nobody knows how long it takes, and for what */
    bool goes_by_leftovers;
    bool is_too_slow; /* for the step, whatever its counters say; a little where it is not is_earlier */
    bool is_ended;    /* before it was done: it takes so long that nothing else counts */
    double slowest;   /* the speedup that the step has at least */
    struct score_bound bounds[LAB_BOUNDS];
    bool meets_bounds; /* all of them hold, whatever the time */
    bool has_speedup;
    double speedup, low, high;
    double needed;    /* the first tier that was missed, or else the highest; 0: the stage has none */
    bool misses_tier; /* `needed` was missed: points can be lost for other reasons as well */
    bool is_generous; /* a tier lies within the spread of the measurement and was given */

    /* Right results, but no bound and no tier shows that the step was made: a quarter of the points is the most. */
    bool is_earlier;
    const struct lab_stage *earlier; /* the step that it still looks like; NULL: none that the table knows */

    enum lab_symptom symptom;        /* what to mend first */
    const struct lab_outcome *fault; /* the case that shows it; NULL: none */
    const struct verdict_message
        *finding;        /* that the hint is about; the others wait for -v. NULL: there is none */
    char hint[LAB_TEXT]; /* "" only where symptom is LAB_NO_SYMPTOM */
    bool is_known;       /* the hint is what the wrong output looks like */
};

void score_stage(const struct lab *lab, const struct lab_stage *stage, const struct verdict *verdict,
                 struct score *out);
/* Which case to show with what went wrong: the finding's own where it is what the wrong case says, else the wrong case. */
uint32_t score_told_case(const struct score *score);
/* A stage that never reached the judge. hint: better words than the table's; NULL: none, those that fit what was found. */
void score_failed(const struct lab *lab, const struct lab_stage *stage, enum lab_symptom symptom,
                  const char *hint, const char *finding, struct score *out);

#endif
