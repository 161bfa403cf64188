/* pages.c - how much of a launch's DRAM traffic opens a page for one line only.
 * For global memory: lines whose neighbours no block of the wave touches. For local memory: steps of a thread through its own,
 * whose words lie a line apart.
 * It knows no rates: what such traffic costs is the profile's business. */
#include "model/pages.h"

#include "memory/cache.h"
#include "model/sm.h"

enum { WORDS_PER_PAGE = 8 /* of a thread's local memory */ };

struct walk {
    uint64_t steps, jumps;
};

static void walk_warp(struct walk *walk, const struct warp_record *record)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < record->ncosts; i++) {
        const struct access_cost *cost = &record->costs[i];
        if (!cost->is_local)
            continue;
        const uint32_t page = cost->address / WORDS_PER_PAGE;
        walk->steps++;
        walk->jumps += page != last;
        last = page;
    }
}

/* Of the local accesses, the part that leave the page of the one before. */
static double local_jumps(const struct sm_job *job)
{
    struct walk walk = {0, 0};
    for (uint32_t b = 0; b < job->nblocks; b++)
        for (uint32_t w = 0; w < job->blocks[b]->nwarps; w++)
            walk_warp(&walk, &job->blocks[b]->warps[w]);
    return walk.steps ? (double)walk.jumps / (double)walk.steps : 0;
}

static double local_sectors(const struct launch *launch)
{
    double sectors = 0;
    for (uint32_t i = 0; i < launch->nstats; i++)
        sectors += (double)launch->stats[i].local_sectors;
    return sectors;
}

double pages_scatter(const struct launch *launch, const struct sm_job *job)
{
    const struct traffic *traffic = &launch->traffic;
    const double global = (double)(traffic->dram_read_sectors + traffic->dram_write_sectors);
    const double local = local_sectors(launch) * job->local_misses * job->local_dram;
    if (launch->gpu->dram_scattered_gbs >= launch->gpu->dram_gbs || global + local <= 0)
        return 0;
    return (global * cache_lone_lines(launch->memory) + local * local_jumps(job)) / (global + local);
}
