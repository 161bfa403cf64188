/* volume.h - did the kernels do the work at the size that is timed?
 * The model runs a sample of the blocks, so results there cannot be compared. What can be told is how much was read and
 * written: whoever computes from all inputs reads them, and whoever fills an output writes it. */
#ifndef JUDGE_VOLUME_H
#define JUDGE_VOLUME_H

#include "grader/judge/findings.h"

struct volume {
    double read, written; /* bytes, rounded up to sectors */
};

/* By the kernels of a replay, and by copies from and to the buffers it was given. */
struct volume volume_of(const struct trace_segment *segment, const struct findings_launches *launches);
/* The least that a stage has to move: its inputs and outputs once, or what the reference moves if that is less. */
struct volume volume_needed(const struct lab_run *run, const struct volume *reference);
/* False: far less was moved than needed, and `one` says so. */
bool volume_is_enough(const struct volume *found, const struct volume *needed, struct verdict_case *one);

#endif
