/* mattered.h - what a submission did that mattered: counters of what fed an output, for bounds that ask for them. The virtual GPU
 * follows it (vgpu_follow). */
#ifndef JUDGE_MATTERED_H
#define JUDGE_MATTERED_H

#include "grader/judge/judge.h"
#include "vgpu/vgpu.h"

/* Around a replay. begin: false if no bound of the stage asks, or the replay is not the one that is timed. */
bool mattered_begin(const struct judge *judge, const struct judge_side *side, uint32_t which);
void mattered_end(const struct judge_side *side, struct vgpu_mattered *out);

/* Counters of the names that bounds of the stage ask for, or of the next one where the stage is given: "used_shared_load_requests" is what mattered of shared_load_requests,
 * "table.shared_load_requests" of that what moves values that come from the input `table`. count: the plain counter of a name, which
 * stands for both where nobody has followed. */
struct mattered_source {
    const void *context;
    double (*count)(const void *context, const char *name);
};
void mattered_add(struct judge *judge, const struct lab_run *run, const struct vgpu_mattered *mattered,
                  const struct mattered_source *source);

#endif
