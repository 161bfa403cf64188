/* effort.h - how much of what takes time was done: is as much done for the timed size as for the sizes that were verified?
 * Instructions alone do not tell: the few that cost most can be left out. Pure: no CUDA, no output. */
#ifndef JUDGE_EFFORT_H
#define JUDGE_EFFORT_H

#include "vgpu/vgpu.h"

/* What an amount may grow with. */
enum measure { MEASURE_WORK, MEASURE_THREADS, MEASURE_BLOCKS, MEASURE_LAUNCHES, MEASURES };

/* Of all launches of one case. */
struct effort {
    double amounts[VGPU_AMOUNTS], instructions; /* of all threads */
    double measures[MEASURES];
};

/* instructions: of all threads of the launch. The work is for the caller to set. */
void effort_add(struct effort *effort, const struct vgpu_launch *launch, double instructions);
void effort_join(struct effort *into, const struct effort *from);

/* What the timed case did too little of, if amounts go on to grow as from `small` to `middle`, both of which were verified:
 * "its kernels do fewer atomics than ..."; NULL: nothing. small: without work where there is none. */
const char *effort_lacks(const struct effort *timed, const struct effort *middle, const struct effort *small);

#endif
