/* sampling.h - launches of which some blocks stand for all: which blocks, how many, and what the whole comes to. */
#ifndef VGPU_CORE_SAMPLING_H
#define VGPU_CORE_SAMPLING_H

#include "core/machine.h"

enum { SAMPLE_RUN = 8 }; /* neighbours that are sampled together, since they share sectors */

/* The number, in its grid, of the i-th block that a launch executes. */
uint64_t sample_block(const struct launch *launch, uint64_t i);
/* The axis along which it is sampled together with its neighbours, and how far they are from each other. */
uint32_t sample_axis(const struct launch *launch, uint64_t i);
uint64_t sample_distance(const struct launch *launch, uint32_t axis);

/* The i-th block has taken so many instructions. In the order of blocks. */
void sample_add(struct launch *launch, uint64_t i, uint64_t work);
/* Executes as many blocks as tell what all would do, and scales the counters up. False: out of memory. */
bool sample_run(struct launch *launch, unsigned threads);
/* Of grid.c: executes so many. */
bool launch_run_blocks(struct launch *launch, uint64_t nblocks, unsigned threads);

#endif
