/* cache.h - a model of L1 and L2 that gives traffic, not data: which sectors must come from L2 and from DRAM.
 * L1 is modelled per block, L2 per wave of resident blocks, so that results do not depend on host threads:
 * a sector hits L2 if it was touched in this wave or so recently that what was touched since fits into L2. */
#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include "memory/memory.h"

/* Sectors below L1. */
struct traffic {
    uint64_t l2_read_sectors, l2_write_sectors; /* L1 misses and stores */
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t
        random_sectors; /* of those read from DRAM: at places without a pattern. Of launches in part only */
};

/* Through which a warp's requests go: the L1 of its block (NULL: none, every load goes to L2), and where the traffic is
 * counted. */
struct cache_port {
    struct l1 *l1;
    struct traffic *traffic;
    bool is_random; /* for cache.c: the request under way wants places without a pattern */
};

/* A warp's request: the distinct sectors (device address / 32), in any order, all in one allocation. */
void cache_load(const struct cache_port *port, struct allocation *a, const uint64_t *sectors, uint32_t count);
void cache_store(const struct cache_port *port, struct allocation *a, const uint64_t *sectors,
                 uint32_t count);
void cache_atomic(const struct cache_port *port, struct allocation *a, const uint64_t *sectors,
                  uint32_t count);
/* Loads that pass by L1: volatile, acquiring, .cg, .cv. */
void cache_load_l2(const struct cache_port *port, struct allocation *a, const uint64_t *sectors,
                   uint32_t count);
/* The fast paths' form: count consecutive sectors. */
typedef void cache_run_fn(const struct cache_port *port, struct allocation *a, uint64_t first_sector,
                          uint32_t count);
cache_run_fn cache_load_run, cache_load_l2_run, cache_store_run;

/* An empty L1 of about that size for a block; NULL: out of memory, and every load goes to L2. */
struct l1 *cache_block_begin(const struct memory *memory, uint64_t l1_bytes);
void cache_block_end(const struct memory *memory, struct l1 *l1);

/* Between launches and between waves of one, while no block runs. is_part: only some blocks are executed. */
void cache_launch_begin(struct memory *memory, uint64_t l2_bytes, bool is_part);
void cache_wave(struct memory *memory,
                uint32_t axis); /* axis: along which a part's next blocks are neighbours */

/* Some blocks of a launch were executed: the DRAM traffic of all of them, which run in so many waves. */
struct cache_part {
    uint64_t blocks, of; /* executed, in all */
    uint64_t waves;
    struct {
        uint64_t blocks;   /* executed together with their neighbours along this axis */
        uint64_t distance; /* from one to the next, in blocks */
    } axes[PART_AXES];
};
void cache_scale(struct memory *memory, const struct cache_part *part, struct traffic *traffic);
/* What kernels used of an allocation: distinct sectors, see vgpu_sectors_used(). */
uint64_t cache_sectors_used(const struct allocation *allocation);
/* Runs of sectors that were touched, in order: from sector `at` on, the next run's first; *end is what follows its last.
 * UINT64_MAX: no more. */
uint64_t cache_next_touched(const struct allocation *allocation, uint64_t at, uint64_t *end);
/* After a launch: bytes that it used. Of a sample, as many times more as there are blocks. */
double cache_footprint(const struct memory *memory);
/* After a launch: of the lines that it used, the part that lie alone in their DRAM page among those of their wave. */
double cache_lone_lines(const struct memory *memory);

#endif
