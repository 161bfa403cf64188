/* model.h - the two halves of judge-virtual: model.c grades, explain.c tells where the time goes. */
#ifndef JUDGE_MODEL_H
#define JUDGE_MODEL_H

#include "grader/judge/pass.h"

/* From here on, blocks are sampled and timed. */
void model_begin_sampling(void);
/* Who is told what a replay spends its time on; NULL: nobody. */
void model_watch(struct judge *judge, struct pipeline *pipeline);
/* The kit's own sides: what the stage is compared with, and what has the answer. *answer stays NULL where there is neither. False: the
 * verdict says why. */
bool model_both_kits(struct judge *judge, struct pass *baseline, struct pass *reference,
                     const struct pass **answer);
/* In place of a grade: the words and pictures of ./grade explain. */
void model_explain(struct judge *judge);

#endif
