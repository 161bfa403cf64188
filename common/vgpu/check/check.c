/* check.c - the three levels of checking as tables: off, bounds, full; one that only notes what is used, and one that has a
 * glance at what full checking would say. */
#include "check/check.h"

#include "check/shadow.h"
#include "check/undefined.h"
#include "report/explain.h"

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

static void ignore_access(struct warp *warp, const struct insn *insn, int lane, enum bad_access why,
                          enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    (void)warp, (void)insn, (void)lane, (void)why, (void)space, (void)address, (void)bytes, (void)is_write;
}

/* What is called at every level, where nobody looks. */
#define QUIET                                                                                                \
    .launch_begin = ignore_launch, .block_begin = ignore_block, .block_end = ignore_block,                   \
    .worker_end = ignore_worker, .launch_end = ignore_launch, .undefined = &undefined_rules

const struct checker check_levels[] = {
    [CHECK_OFF] = {QUIET, .bad_access = ignore_access},
    [CHECK_BOUNDS] = {QUIET, .bad_access = explain_access},
    [CHECK_FULL] =
        {
            .launch_begin = check_launch_begin,
            .block_begin = check_block_begin,
            .block_end = check_block_end,
            .worker_end = check_worker_end,
            .launch_end = check_launch_end,
            .bad_access = explain_access,
            .shared = check_shared,
            .copy_begins = check_copy_begins,
            .global = check_global,
            .local = check_local,
            .warp_sync = check_warp_sync,
            .fence = check_fence,
            .release = check_release,
            .acquire = check_acquire,
            .barrier_arrive = check_barrier_arrive,
            .barrier_done = check_barrier_done,
            .branch = check_branch,
            .undefined = &undefined_rules,
        },
};

/* ------------------------------------------------------------------------------------------- what is used */

static void ignore_good_access(struct warp *warp, const struct insn *insn, const struct access *access)
{
    (void)warp, (void)insn, (void)access;
}

static void ignore_copy(struct warp *warp, const struct access *access)
{
    (void)warp, (void)access;
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

/* To be called for every access it poses as the full one, and ignores the rest. */
const struct checker check_used = {
    .launch_begin = ignore_launch,
    .block_begin = ignore_block,
    .block_end = ignore_block,
    .worker_end = ignore_worker,
    .launch_end = check_use_end,
    .bad_access = explain_access,
    .shared = ignore_good_access,
    .copy_begins = ignore_copy,
    .global = check_use,
    .local = ignore_good_access,
    .warp_sync = ignore_lanes,
    .fence = ignore_order,
    .release = ignore_order,
    .acquire = ignore_order,
    .barrier_arrive = ignore_arrival,
    .barrier_done = ignore_barrier,
    .branch = ignore_branch,
    .undefined = &undefined_rules,
};

/* ------------------------------------------------------------------------------------------- a glance */

const struct checker check_glance = {
    .launch_begin = glance_launch_begin,
    .block_begin = glance_block_begin,
    .block_end = check_block_end,
    .worker_end = check_worker_end,
    .launch_end = check_launch_end,
    .bad_access = explain_access,
    .shared = glance_shared,
    .copy_begins = check_copy_begins,
    .global = glance_global,
    .local = ignore_good_access,
    .warp_sync = check_warp_sync,
    .fence = check_fence,
    .release = check_release,
    .acquire = glance_acquire,
    .barrier_arrive = ignore_arrival,
    .barrier_done = check_barrier_done,
    .branch = ignore_branch,
    .undefined = &undefined_rules,
};
