/* places.h - which blocks a launch executes: all, in some order, or a sample of them. */
#ifndef VGPU_CORE_PLACES_H
#define VGPU_CORE_PLACES_H

#include "core/machine.h"

enum {
    SAMPLE_RUN = 8,   /* neighbours that are sampled together, since they share sectors */
    SAMPLE_LEAST = 16 /* blocks of a sample that must show whether the kernel is right */
};

/* Once it is known how many there are, draws them, no block twice. Without memory, some are. */
void sample_choose(struct launch *launch);
/* The number, in its grid, of the i-th block that a launch executes. */
uint64_t sample_block(const struct launch *launch, uint64_t i);
/* The axis along which it is sampled together with its neighbours, and how far they are from each other. */
uint32_t sample_axis(const struct launch *launch, uint64_t i);
uint64_t sample_distance(const struct launch *launch, uint32_t axis);

#endif
