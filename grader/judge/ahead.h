/* ahead.h - the samples of the timed case, looked at while cases are still verified.
 * A judge on a machine of its own has three things to do that do not wait for each other: all cases, the sample that nobody could
 * foresee, and the one that everybody knows. Each sample is left to a copy of this process, which begins as this one does, with
 * nothing executed, and hands over what it has found. That is what would have been found here, word by word: it is used where it
 * would have been looked for, and not at all if a case is wrong. Whatever goes wrong with a copy, the work is done here. */
#ifndef JUDGE_AHEAD_H
#define JUDGE_AHEAD_H

#include "grader/judge/sample.h"

enum ahead_sample { AHEAD_DRAWN, AHEAD_KNOWN, AHEAD_SAMPLES };

/* From nothing executed to the sample; as sample_student() and sample_as_kits(). */
typedef bool ahead_work(struct judge *judge, struct pass *out);

/* Before anything is executed, and before there is a second thread. */
void ahead_begin(struct judge *judge, ahead_work *const work[AHEAD_SAMPLES]);
/* As if `work` were done now. */
bool ahead_take(struct judge *judge, enum ahead_sample which, ahead_work *work, struct pass *out);
/* Nobody will ask again. */
void ahead_end(void);

#endif
