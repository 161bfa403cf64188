/* turn.h - whose turn it is: one measurement at a time on a GPU, by whomever it was started.
 * To make a context takes as long as to measure most kernels. So while one measures, a few others get ready; no more than that, for
 * they take the driver's time and memory. Locks go with the process, however it ends. turn.c. */
#ifndef GRADER_JUDGE_TURN_H
#define GRADER_JUDGE_TURN_H

#include "grader/judge/judge.h"

/* Waits until we are one of those who may get ready: before the context is made. False: the judge has failed. */
bool turn_line_up(struct judge *judge);
/* Waits until the device is ours alone; another one may get ready then. */
void turn_take(struct judge *judge);
void turn_end(void);

#endif
