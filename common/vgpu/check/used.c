/* used.c - a checker that only notes which words of global memory are used: see memory/used.h. To be called for every access
 * it poses as the full one, and ignores the rest. */
#include "memory/used.h"

#include "check/check.h"
#include "check/undefined.h"
#include "report/explain.h"

static void note_global(struct warp *warp, const struct insn *insn, const struct access *access)
{
    (void)insn;
    struct allocation *known = access->allocation;
    for (uint32_t rest = access->mask; rest; rest &= rest - 1) {
        const uint64_t address = access_address(access, __builtin_ctz(rest));
        if (!known || address < known->base || address >= known->base + known->size)
            known = memory_find(warp->block->launch->memory, address);
        if (known)
            used_mark(known, address, access->bytes);
    }
}

static void end_launch(struct launch *launch)
{
    used_launch_end(launch->memory, launch->index, launch->nblocks, launch->nblocks_asked);
}

static void ignore_launch(struct launch *launch)
{
    (void)launch;
}

static void ignore_block(struct block *block)
{
    (void)block;
}

static void ignore_worker(struct worker *worker)
{
    (void)worker;
}

static void ignore_access(struct warp *warp, const struct insn *insn, const struct access *access)
{
    (void)warp, (void)insn, (void)access;
}

static void ignore_lanes(struct warp *warp, uint32_t lanes)
{
    (void)warp, (void)lanes;
}

static void ignore_order(struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    (void)warp, (void)insn, (void)lanes;
}

static void ignore_arrival(struct warp *warp, const struct insn *insn, uint32_t lanes, uint32_t barrier)
{
    (void)warp, (void)insn, (void)lanes, (void)barrier;
}

static void ignore_barrier(struct block *block, uint32_t barrier, const uint32_t *lanes_by_warp)
{
    (void)block, (void)barrier, (void)lanes_by_warp;
}

static void ignore_branch(struct warp *warp, const struct insn *insn, uint32_t taken, uint32_t fallen)
{
    (void)warp, (void)insn, (void)taken, (void)fallen;
}

const struct checker check_used = {
    .launch_begin = ignore_launch,
    .block_begin = ignore_block,
    .block_end = ignore_block,
    .worker_end = ignore_worker,
    .launch_end = end_launch,
    .bad_access = explain_access,
    .shared = ignore_access,
    .global = note_global,
    .local = ignore_access,
    .warp_sync = ignore_lanes,
    .fence = ignore_lanes,
    .release = ignore_order,
    .acquire = ignore_order,
    .barrier_arrive = ignore_arrival,
    .barrier_done = ignore_barrier,
    .branch = ignore_branch,
    .undefined = &undefined_rules,
};
