/* explain.h - in place of a grade: where the time of the timed case goes, in words and pictures for ./grade explain. */
#ifndef JUDGE_EXPLAIN_H
#define JUDGE_EXPLAIN_H

#include "grader/judge/judge.h"

void explain_judge(struct judge *judge);

#endif
