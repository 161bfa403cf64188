/* progress.h - how far a student is: the best points of every stage that a lab has, out of its history.
 * Pure: no files, no clock, no printing. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "grader/history.h"
#include "lab/lab.h"

struct progress_stage {
    const char *id, *title; /* title: "" where the lab's table is not there */
    int row;                /* from 1; 0: not known */
    int points, most;
    bool is_bonus, is_tried;
};

struct progress {
    struct progress_stage stages[HISTORY_STAGES]; /* those that can earn points */
    int nstages;                                  /* 0: nothing is known */
    int points, most, bonus, bonus_most;
    time_t last;                       /* of the last attempt; 0: there was none */
    const struct progress_stage *next; /* the first that has points left; bonuses come last; NULL: none */
};

/* The table says which stages there are now and what they give: points that an older kit gave for others are passed over, and
 * none count beyond the most. Without it (NULL), the stages of the history itself. Both must outlive *out. */
void progress_find(struct progress *out, const struct lab *lab, const struct history *history);
/* A stage has earned these points: its best are at least as many from now on. */
void progress_raise(struct progress *progress, const char *id, int points);
/* Which of several labs to go on with: the one tried last, if it has points left beside bonuses; else the next one behind it that
 * has, or of which nothing is known, and behind the last one the first; else one with a bonus left. -1: all is done. */
int progress_choose(const struct progress *list, int count);

#endif
