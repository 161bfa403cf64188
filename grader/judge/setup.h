/* setup.h - what grading (model.c) and explaining (explain.c) on the virtual GPU have in common. */
#ifndef JUDGE_SETUP_H
#define JUDGE_SETUP_H

#include "grader/judge/pass.h"

/* As struct judge_backend has it. Messages name the submission's lines from here on. */
void setup_prepare(const char *gpu, const char *source);
/* Blocks are sampled and timed. */
void setup_begin_sampling(void);
/* Who is told what a replay spends its time on; NULL: nobody. */
void setup_watch(struct judge *judge, struct pipeline *pipeline);
/* The kit's own sides: what the stage is compared with, and what has the answer. *answer stays NULL where there is neither. False: the
 * verdict says why. */
bool setup_both_kits(struct judge *judge, struct pass *baseline, struct pass *reference,
                     const struct pass **answer);

#endif
