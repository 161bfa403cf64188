/* told.h - does the host get the results, where a stage's bounds ask for it? Copies to the host that carry an output's bytes, as they
 * are when all is done, count; copies of other bytes are for show. */
#ifndef JUDGE_TOLD_H
#define JUDGE_TOLD_H

#include "grader/judge/judge.h"

/* Around a replay. */
void told_begin(const struct judge_side *side);
/* Before each operation. */
void told_look(const struct judge_side *side, const struct trace_op *op);
/* How many copies carried an output. */
uint32_t told_end(void);

#endif
