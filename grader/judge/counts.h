/* counts.h - the figures of a verdict: what host code asked for and what its launches did in the timed case, and the time of that beside
 * the kit's. */
#ifndef JUDGE_COUNTS_H
#define JUDGE_COUNTS_H

#include "grader/judge/pass.h"

/* One of VGPU_COUNTERS; 0: there is none of that name. */
double counts_value(const struct pass *pass, const char *name);
/* Blocks that host code asks for. */
double counts_blocks(const struct trace_segment *segment);
/* All that bounds may name (struct lab_bound), from a pass through the timed case. */
void counts_add(struct judge *judge, const struct pass *student);
/* baseline_us 0: there is nothing to compare with, and no time. */
void counts_add_time(struct judge *judge, double baseline_us, const struct pass *student);

#endif
