/* cache.h - a model of L1 and L2 that gives traffic, not data: which sectors must come from L2 and from DRAM.
 * L1 is modelled per block, L2 per wave of resident blocks, so that results do not depend on host threads:
 * a sector hits L2 if it was touched in this wave or so recently that what was touched since fits into L2. */
#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include "core/machine.h"
#include "memory/memory.h"

/* A warp's request: the distinct sectors (device address / 32), in any order, all in one allocation. */
void cache_load(struct warp *warp, struct allocation *allocation, const uint64_t *sectors, uint32_t count);
void cache_store(struct warp *warp, struct allocation *allocation, const uint64_t *sectors, uint32_t count);
void cache_atomic(struct warp *warp, struct allocation *allocation, const uint64_t *sectors, uint32_t count);
/* Loads that pass by L1: volatile, acquiring, .cg, .cv. */
void cache_load_l2(struct warp *warp, struct allocation *allocation, const uint64_t *sectors, uint32_t count);
/* The fast paths' form: count consecutive sectors. */
void cache_load_l2_run(struct warp *warp, struct allocation *allocation, uint64_t first_sector,
                       uint32_t count);
void cache_load_run(struct warp *warp, struct allocation *allocation, uint64_t first_sector, uint32_t count);
void cache_store_run(struct warp *warp, struct allocation *allocation, uint64_t first_sector, uint32_t count);

void cache_block_begin(struct block *block); /* an empty L1, sized by the launch's blocks per SM */
void cache_block_end(struct block *block);
/* Called between waves and at the ends of a launch, while no block runs. Copies and memsets are reported too. */
void cache_wave(struct launch *launch, uint64_t wave);
void cache_launch_begin(struct launch *launch);
/* A sample of the blocks was executed: the DRAM traffic of all of them. */
void cache_scale(struct launch *launch);
/* After a launch: of the lines that it used, the part that lie alone in their DRAM page among those of their wave. */
double cache_lone_lines(const struct launch *launch);

#endif
