/* sums.h - where the one output is the sum of the input (lab.is_sum): what the blocks of a sample leave must add up to what they have
 * read, each element once, whatever way they divide the work. Looked at behind the launches that read the input, before others go on
 * from what they left. */
#ifndef JUDGE_SUMS_H
#define JUDGE_SUMS_H

#include "grader/judge/judge.h"

/* Around a replay of a lab that is_sum; others are not looked at. */
void sums_begin(const struct judge_side *side);
/* Before each operation, and when all are under way. */
void sums_look(const struct judge_side *side);
/* doubt: empty where what they leave is what they have read. */
void sums_end(char *doubt, size_t size);

#endif
