/* sampling.h - launches of which some blocks (places.h) stand for all: how many do, and what the whole comes to. */
#ifndef VGPU_CORE_SAMPLING_H
#define VGPU_CORE_SAMPLING_H

#include "core/places.h"

/* The i-th block has taken so many instructions. In the order of blocks. */
void sample_add(struct launch *launch, uint64_t i, uint64_t work);
/* Executes so many blocks. False: out of memory. */
typedef bool run_blocks_fn(struct launch *launch, uint64_t nblocks, unsigned threads);
/* Executes as many as tell what all would do, and scales the counters up. */
bool sample_run(struct launch *launch, run_blocks_fn *run_blocks, unsigned threads);

#endif
