/* sample.h - the timed case, of which only some blocks are executed: times and counters, and whether what they do is right.
 * A kernel that reads what nobody filled in means nothing, and to fill in everything takes too long, unless it is little. So the
 * blocks run once to show what they touch, and again with the inputs there; until they touch nothing else. */
#ifndef JUDGE_SAMPLE_H
#define JUDGE_SAMPLE_H

#include "grader/judge/findings.h"
#include "lab/sample.h"

/* One side at the timed size. */
struct sample {
    struct verdict_case one; /* wrong: why */
    struct findings findings;
    struct lab_run run;
    struct touched touched[LAB_BUFFERS];
    double sectors[LAB_BUFFERS]; /* distinct ones that the whole grid uses of each buffer */
    double bytes[LAB_BUFFERS];   /* the same in words that it really uses */
    double time_us;              /* of the virtual clock */
    double work_us;              /* of its copies and kernels, each for itself */
    bool is_stable;              /* they touch what was filled in, and nothing else */
    char doubt[200];             /* an element that is wrong; "": none was found */
};

/* The kit's own code, with inputs that nobody filled in. False: out->one says what is wrong with the recording or with its
 * kernels; errors of ours are in the verdict. */
bool sample_kits(struct judge *judge, const char *name, struct sample *out);
/* A submission's: blocks drawn from the judge's seed, on inputs of the judge's own, and all that they write compared;
 * races in shared memory are looked for. */
bool sample_student(struct judge *judge, struct sample *out);
/* A submission's, for its time: the blocks and the inputs that the kit's own steps are timed with. So a time does not depend on
 * what was drawn, and two files with the same kernel have the same. */
bool sample_as_kits(struct judge *judge, struct sample *out);
/* A submission's that cannot be looked at like this, but was found right otherwise: its blocks wait for others, say. All blocks
 * are executed. */
bool sample_unseen(struct judge *judge, struct sample *out);
void sample_free(struct sample *sample);

#endif
