/* rules_work.c - rules about how work is spread over lanes, blocks and SMs, and what warps wait for. */
#include <string.h>

#include "base/number.h"
#include "profile/rules_parts.h"
#include "profile/waves.h"

/* ------------------------------------------------------------------------------------------- lanes */

struct lane_walk {
    struct rules *rules;
    double most;
    struct rule_place place;
    double lanes; /* that are active there */
};

static void find_idle(const struct found *found, void *context)
{
    struct lane_walk *walk = context;
    const double warps = (double)found->stat->warps, lanes = LANES - (double)found->stat->idle / warps;
    const double part = smaller_of(lanes / fact_lanes_of_block(walk->rules), 1),
                 *on = found_spent(walk->rules->estimate, found->insn->id);
    double time = 0;
    if (found->insn->id >= walk->rules->inside->nstats)
        return;
    for (int i = 0; i < VGPU_SPENTS; i++)
        time += on[i];
    if (found->insn->class < CLASS_GLOBAL)
        walk->rules->kept[found->insn->id] = (float)part;
    if (time * (1 - part) > walk->most && found->loc->line) {
        walk->most = time * (1 - part);
        walk->place = (struct rule_place){found->file, "", found->loc->line};
        walk->lanes = lanes;
    }
}

void rule_divergence(struct rules *rules)
{
    const double nearly_all = 0.9, warps = fact_total(rules, "warp_instructions");
    const double lanes = warps > 0 ? fact_total(rules, "thread_instructions") / warps : LANES;
    struct lane_walk walk = {.rules = rules, .place = RULE_NOWHERE};
    if (lanes > nearly_all * fact_lanes_of_block(rules) || !(fact_total(rules, "divergent_branches") > 0))
        return;
    found_each(rules->inside, find_idle, &walk);
    const struct model_change change = rule_with_kept(rules);
    if (walk.place.line)
        rule_tell(
            rules, walk.place, rule_gain(rules, &change),
            "%.1f of 32 lanes are active (%.1f in the whole kernel), and each instruction takes its slot "
            "all the "
            "same. Let whole warps go the same way: give neighbouring threads the same kind of work.",
            walk.lanes, lanes);
    rule_keep_all(rules);
}

/* A block whose last warp is not full. */
void rule_block_size(struct rules *rules)
{
    const double lanes = fact_lanes_of_block(rules), most = 31;
    if (lanes >= most)
        return;
    for (size_t i = 0; i < rules->inside->nstats; i++)
        rules->kept[i] = (float)(lanes / LANES);
    struct model_change change = rule_with_kept(rules);
    change.memory_overlap = (uint32_t)(LANES / larger_of(lanes, 1.0));
    change.compute_overlap = change.memory_overlap;
    rule_tell(
        rules, RULE_NOWHERE, rule_gain(rules, &change),
        "blocks of %u threads have %u warp%s of 32, of which %.0f lanes have no thread. Take a multiple of "
        "32 threads.",
        fact_threads(rules), fact_warps(rules), fact_warps(rules) == 1 ? "" : "s",
        (double)LANES * fact_warps(rules) - fact_threads(rules));
    rule_keep_all(rules);
}

/* ------------------------------------------------------------------------------------------- the grid */

void rule_few_blocks(struct rules *rules)
{
    const double blocks = fact_blocks(rules), sms = rules->profile->sms;
    const double launch_us = rules->estimate->launch_us, running_us = rules->estimate->time_us - launch_us;
    double used = blocks / sms; /* of the whole GPU, of what it has most of */
    if (blocks >= sms)
        return;
    for (int i = 0; i < MODEL_RESOURCES; i++)
        used = larger_of(used, rules->estimate->shares[i]);
    rule_tell(
        rules, RULE_NOWHERE, rules->estimate->time_us / (launch_us + running_us * used),
        "only %.0f of %.0f SMs have a block: the others have nothing to do. Take more blocks, each with "
        "less to do.",
        blocks, sms);
}

void rule_tail(struct rules *rules)
{
    struct waves waves;
    const bool is_wave = waves_end_poorly(rules->launch, &waves);
    const double tail = rules->estimate->tail, few = 0.05, blocks = fact_blocks(rules);
    if (is_wave)
        rule_tell(
            rules, RULE_NOWHERE, waves.count * waves.at_once / waves.blocks,
            "%.0f blocks are %u waves, of which the last has only %.0f: take more and smaller blocks, or as "
            "many as fit "
            "at once (%.0f) with an equal share each.",
            waves.blocks, waves.count, waves.last, waves.at_once);
    else if (tail > few && blocks > rules->profile->sms)
        rule_tell(
            rules, RULE_NOWHERE, 1 / (1 - tail),
            "the last blocks leave SMs idle for %d %% of the time: %.0f blocks do not divide evenly among "
            "%u SMs. Take "
            "more and smaller blocks, or as many as fit at once with an equal share each.",
            fact_percent(tail), blocks, rules->profile->sms);
}

void rule_launch(struct rules *rules)
{
    const double part = rules->estimate->launch_us / rules->estimate->time_us, most = 0.5;
    if (part > most)
        rule_tell(
            rules, RULE_NOWHERE, 1 / (1 - part),
            "the launch itself is %.1f of %.1f us. Do more in one launch, or fuse this kernel with others.",
            rules->estimate->launch_us, rules->estimate->time_us);
}

void rule_block_starts(struct rules *rules)
{
    const double part = fact_waits_for_start(rules), few = 0.1;
    const struct model_change change = {.is_without_starts = true};
    const double fit = fact_total(rules, "blocks_per_sm") * rules->profile->sms;
    if (part > few && fact_blocks(rules) > 2 * fit)
        rule_tell(
            rules, RULE_NOWHERE, rule_gain(rules, &change),
            "blocks do so little that %d %% of the warps' time is their start. Let each block do more: a "
            "loop over "
            "several elements per thread.",
            fact_percent(part));
}

/* How many blocks would fit if what limits them now did not; what: that, in words. */
static uint32_t blocks_without_limit(const struct rules *rules, const struct occupancy *now, char *what,
                                     size_t size)
{
    const struct gpu *gpu = rules->inside->gpu;
    const struct function *kernel = rules->inside->kernel;
    const uint32_t shared = kernel->shared_bytes + rules->inside->dynamic_shared,
                   threads = fact_threads(rules);
    const uint32_t few = 32; /* registers: with so many, no GPU is short of them */
    struct occupancy then = *now;
    if (!strcmp(now->limiter, "registers")) {
        gpu_occupancy(gpu, smaller_of(kernel->registers, few), shared, threads, &then);
        snprintf(what, size,
                 "%u registers a thread. Keep fewer values alive, or set a limit (__launch_bounds__)",
                 kernel->registers);
    } else if (!strcmp(now->limiter, "shared memory")) {
        gpu_occupancy(gpu, kernel->registers, 0, threads, &then);
        snprintf(what, size, "%u bytes of shared memory a block. Use smaller tiles or types", shared);
    } else if (!strcmp(now->limiter, "blocks")) {
        then.blocks_per_sm = gpu->max_warps / fact_warps(rules);
        snprintf(what, size,
                 "the size of blocks, %u threads, of which an SM has %u at most. Take larger blocks", threads,
                 now->blocks_per_sm);
    } else {
        then.blocks_per_sm = now->blocks_per_sm + 1;
        snprintf(what, size,
                 "the size of blocks, %u threads. Take smaller blocks, of which more fit (256, 512)",
                 threads);
    }
    return then.blocks_per_sm;
}

void rule_occupancy(struct rules *rules)
{
    const double high = 0.75, occupancy = fact_total(rules, "occupancy");
    const struct function *kernel = rules->inside->kernel;
    const uint32_t shared = kernel->shared_bytes + rules->inside->dynamic_shared;
    struct occupancy now;
    char what[200];
    gpu_occupancy(rules->inside->gpu, kernel->registers, shared, fact_threads(rules), &now);
    if (occupancy > high || fact_blocks(rules) <= now.blocks_per_sm * (double)rules->profile->sms)
        return; /* the grid has no more blocks: more room would stay empty */
    const struct model_change change = {.blocks_per_sm =
                                            blocks_without_limit(rules, &now, what, sizeof what)};
    if (change.blocks_per_sm > now.blocks_per_sm)
        rule_tell(rules, RULE_NOWHERE, rule_gain(rules, &change),
                  "occupancy is %d %%: the number of warps on an SM is limited by %s.",
                  fact_percent(occupancy), what);
}

/* ------------------------------------------------------------------------------------------- waiting */

void rule_loads_in_flight(struct rules *rules)
{
    const double much = 0.3, nearly_all = 0.85, part = fact_spent(rules, VGPU_SPENT_MEMORY);
    const struct model_change change = {.memory_overlap = 2};
    if (part > much && fact_most_busy_memory(rules) < nearly_all)
        rule_tell(
            rules, rule_at_line(fact_line_of_most(rules, VGPU_SPENT_MEMORY)), rule_gain(rules, &change),
            "warps wait for memory %d %% of their time, and it is busy for %d %% only: twice as many loads "
            "under way "
            "would help. Start several loads before the first is used (unroll, several elements per "
            "thread), or "
            "have more warps per SM.",
            fact_percent(part), fact_percent(fact_most_busy_memory(rules)));
}

void rule_independent_work(struct rules *rules)
{
    const double much = 0.3,
                 part = fact_spent(rules, VGPU_SPENT_ARITHMETIC) + fact_spent(rules, VGPU_SPENT_SHARED);
    const bool is_shared = fact_spent(rules, VGPU_SPENT_SHARED) > fact_spent(rules, VGPU_SPENT_ARITHMETIC);
    const struct model_change change = {.compute_overlap = 2};
    if (part > much)
        rule_tell(
            rules,
            rule_at_line(fact_line_of_most(rules, is_shared ? VGPU_SPENT_SHARED : VGPU_SPENT_ARITHMETIC)),
            rule_gain(rules, &change),
            "each operation waits for the result of the one before: %d %% of the warps' time. Give each "
            "thread two "
            "or more independent results to compute (two sums, two elements), or have more warps per SM.",
            fact_percent(part));
}

void rule_barriers(struct rules *rules)
{
    const double much = 0.1, part = fact_spent(rules, VGPU_SPENT_BARRIER);
    const double warps = fact_blocks(rules) * fact_warps(rules), each = fact_total(rules, "barriers") / warps;
    const struct model_change change = {.is_without_barriers = true};
    if (part > much && each > 0)
        rule_tell(
            rules, rule_at_line(fact_line_of_most(rules, VGPU_SPENT_BARRIER)), rule_gain(rules, &change),
            "warps wait at barriers %d %% of their time (%.0f barriers a warp). Do more between two "
            "barriers, let the "
            "last warp go on without them (shuffles), or take smaller blocks, of which more fit on an SM.",
            fact_percent(part), each);
}
