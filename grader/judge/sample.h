/* sample.h - the timed case, of which only some blocks are executed: times and counters, and whether what they do is right.
 * To fill in everything takes too long: inputs are there where blocks come to them. */
#ifndef JUDGE_SAMPLE_H
#define JUDGE_SAMPLE_H

#include "grader/judge/pass.h"

/* Can what some blocks leave be compared: element by element, share by share, or as a sum? Where not, the timed case is executed as a
 * whole, the kit's own and a submission's. */
bool sample_is_comparable(const struct judge *judge);
/* Blocks of a sample, where fewer leave a doubt. */
enum { SAMPLE_SOME = 16, SAMPLE_MANY = 128 };

/* Of an output, no more may be missing than samples of two grids differ by. */
extern const double sample_enough_written;
/* The kit's own code. False: out->one says what is wrong with the recording or with its
 * kernels; errors of ours are in the verdict. */
bool sample_kits(struct judge *judge, const char *name, struct pass *out);
/* A submission's: blocks drawn from the judge's seed, on inputs of the judge's own, and all that they write compared, if it can be;
 * races in shared memory are looked for. */
bool sample_student(struct judge *judge, struct pass *out);
/* A submission's, for its time: the blocks and the inputs that the kit's own steps are timed with. So a time does not depend on
 * what was drawn, and two files with the same kernel have the same. */
bool sample_as_kits(struct judge *judge, struct pass *out);
/* A submission's that cannot be looked at like this, but was found right otherwise: its blocks wait for others, say. All blocks
 * are executed. */
bool sample_unseen(struct judge *judge, struct pass *out);

#endif
