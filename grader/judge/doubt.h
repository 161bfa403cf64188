/* doubt.h - does a sample of the timed case's blocks stand for the whole? What smaller cases have shown, which were executed as a whole,
 * and what the kit's own kernel needs, tell. */
#ifndef JUDGE_DOUBT_H
#define JUDGE_DOUBT_H

#include "grader/judge/pass.h"

/* Bytes of memory that the results depend on: as many as the kit's own kernel uses. */
double doubt_needed_bytes(const struct pass *answer);
/* What makes it doubtful; NULL: nothing. answer: the same of the kit's kernel, NULL where there is none. middle: what the middle-sized
 * case has executed. */
const char *doubt_find(struct judge *judge, const struct pass *student, const struct pass *answer,
                       const struct coverage *middle);
/* Warp instructions of a timed case that are executed as a whole where it is in doubt: two minutes. */
extern const double doubt_most;
/* One of its answers: blocks at an edge do this, and a sample may have no others. */
extern const char *const doubt_little_used;
/* What of the sample that everybody knows is not to be believed, beside the one that nobody could foresee. What counters do not
 * tell, the order of instructions and places in caches, a submission could change in blocks that it knows: so all, if it takes less
 * time; nothing, if nothing that is counted was done less often; and else its counters, of which few are less, or which gain
 * nothing. */
enum doubt_trust { DOUBT_NOTHING, DOUBT_COUNTERS, DOUBT_ALL };
enum doubt_trust doubt_known(const struct pass *known, const struct pass *drawn);

#endif
