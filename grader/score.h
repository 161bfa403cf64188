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

struct score {
    struct score_part correct, clean, concept, speed, all;
    bool is_right, is_clean, has_concept;
    struct score_bound bounds[LAB_BOUNDS];
    bool has_speedup;
    double speedup, low, high;
    double needed;            /* the first tier that was missed, or else the highest; 0: the stage has none */
    bool is_generous;         /* a tier lies within the spread of the measurement and was given */
    enum lab_symptom symptom; /* what to mend first */
    const struct verdict_case *fault; /* the case that shows it; NULL: none */
    const char *hint;                 /* never NULL where symptom is not LAB_NO_SYMPTOM */
};

void score_stage(const struct lab_stage *stage, const struct verdict *verdict, struct score *out);
/* A stage that never reached the judge. */
void score_failed(const struct lab_stage *stage, enum lab_symptom symptom, struct score *out);
/* The row's own words for a symptom, or the general ones. */
const char *score_hint(const struct lab_stage *stage, enum lab_symptom symptom);
/* "missing", "race": short names for machines to read. */
const char *score_symptom_name(enum lab_symptom symptom);

#endif
