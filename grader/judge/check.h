/* check.h - are the results right? Answered on the virtual GPU, under full checking. */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include "grader/judge/judge.h"

/* Every case of the stage, with inputs of the judge's own; adds cases and messages to the verdict. */
void judge_check(struct judge *judge);

#endif
