/* pass.h - one time through a case: what was found, what it took, and whether it is right. What is timed is what was compared: the
 * same pass has both. check.c makes passes of all blocks, sample.c those of some. */
#ifndef JUDGE_PASS_H
#define JUDGE_PASS_H

#include "grader/judge/findings.h"
#include "grader/judge/mattered.h"
#include "lab/sample.h"

/* Of a buffer. */
struct used {
    double sectors; /* distinct ones, by the whole grid */
    double bytes;   /* the same in words that it really uses; of an output, that it stores */
    double stripes; /* of 64 that the buffer is cut into, those that were touched */
};

struct pass {
    struct lab_outcome one; /* wrong: why */
    struct findings findings;
    struct lab_run run;
    double time_us;                /* of the virtual clock */
    double work_us;                /* of its copies and kernels, each for itself */
    bool is_whole;                 /* all blocks were executed */
    struct vgpu_mattered mattered; /* where bounds ask for it */
    uint32_t results_read;         /* copies to the host that carry an output, where bounds ask for it */

    /* of a sample of the blocks */
    unsigned least; /* how many there should be; many: one from each share of the grid */
    struct touched touched[LAB_BUFFERS];
    struct used used[LAB_BUFFERS];
    char doubt[200]; /* an element that is wrong; "": none was found */
};

/* With addresses of its own: it does not matter what was executed before, or in which process. */
void pass_start_afresh(void);
/* Replays a side that is loaded, under findings that have begun, and takes the time. */
bool pass_run(struct pass *pass, struct judge_side *side, char *error, size_t size);
/* What stopped it, from what was found or else from CUDA's words. */
void pass_explain_stop(struct pass *pass, bool is_loaded, const char *error);
void pass_free(struct pass *pass);

/* Instructions of warps that the middle and the timed case may take: vgpu_set_work(). */
extern const uint64_t pass_most_middle, pass_most_timed;

#endif
