/* sampling.c - see sampling.h. */
#include "core/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/findings.h"
#include "memory/cache.h"
#include "memory/undo.h"

enum {
    SAMPLE_INSTRUCTIONS = 1 << 17, /* warp instructions of a sample: some ten milliseconds of work */
    SAMPLE_DEAREST = 32 * SAMPLE_INSTRUCTIONS, /* where blocks differ so much that fewer do not tell a time */
    SAMPLE_ROUNDS = 4
};
static const double SAMPLE_ERROR = 0.04; /* of its mean */

/* ------------------------------------------------------------------------------------------- what the whole comes to */

static uint64_t *stat_words(struct launch *launch, size_t *count)
{
    *count = launch->nstats * sizeof *launch->stats / sizeof(uint64_t);
    return (uint64_t *)launch->stats;
}

static uint64_t scaled(uint64_t value, uint64_t all, uint64_t part)
{
    return (uint64_t)(((unsigned __int128)value * all + part / 2) / part);
}

static void scale_up(struct launch *launch)
{
    const uint64_t part = launch->nblocks, all = launch->nblocks_asked;
    struct traffic *traffic = &launch->traffic;
    size_t count;
    uint64_t *words = stat_words(launch, &count);
    for (size_t i = 0; i < count; i++)
        words[i] = scaled(words[i], all, part);
    traffic->l2_read_sectors = scaled(traffic->l2_read_sectors, all, part);
    traffic->l2_write_sectors = scaled(traffic->l2_write_sectors, all, part);
    const uint64_t resident = launch->resident_blocks ? launch->resident_blocks : 1;
    struct cache_part cache = {part, all, (all + resident - 1) / resident, {{0}}};
    for (uint32_t axis = 0; axis < PART_AXES; axis++)
        cache.axes[axis].distance = sample_distance(launch, axis);
    for (uint64_t i = 0; i < part; i++)
        cache.axes[sample_axis(launch, i)].blocks++;
    cache_scale(launch->memory, &cache, traffic);
}

static uint64_t instructions_issued(const struct launch *launch)
{
    uint64_t issued = 0;
    for (uint32_t i = 0; i < launch->nstats; i++)
        issued += launch->stats[i].warps;
    return issued;
}

static void forget_counts(struct launch *launch)
{
    size_t count;
    uint64_t *words = stat_words(launch, &count);
    memset(words, 0, count * sizeof *words);
    launch->traffic = (struct traffic){0};
    launch->block_work = launch->run_work = (struct moments){0};
    launch->this_run = 0;
}

/* What a sample computes, prints or waits for means nothing, unless somebody wants to know; the work that it took is real. */
static void forget_results(struct launch *launch)
{
    if (launch->is_too_long || launch->sample_seed)
        return;
    launch->fault = 0;
    launch->printed.size = launch->failed.size = 0;
    findings_clear(launch->findings);
}

/* ------------------------------------------------------------------------------------------- how many */

static void add_moment(struct moments *moments, uint64_t value)
{
    moments->count++;
    moments->sum += (double)value;
    moments->squares += (double)value * (double)value;
}

void sample_add(struct launch *launch, uint64_t i, uint64_t work)
{
    add_moment(&launch->block_work, work);
    launch->this_run += work;
    if ((i + 1) % SAMPLE_RUN != 0)
        return;
    add_moment(&launch->run_work, launch->this_run);
    launch->this_run = 0;
}

/* Whole runs of neighbours, where there is room. */
static uint64_t in_runs(const struct launch *launch, uint64_t n)
{
    const uint64_t whole = n >= SAMPLE_RUN ? n / SAMPLE_RUN * SAMPLE_RUN : n;
    return n < launch->nblocks_asked ? whole : launch->nblocks_asked;
}

/* Where blocks come from everywhere, they may cost more. */
static uint64_t dearest(const struct launch *launch)
{
    return launch->sample_least > SAMPLE_LEAST ? 8 * SAMPLE_DEAREST : SAMPLE_DEAREST;
}

/* As many blocks as can be afforded if each takes so many instructions. Full checks take several times as long, and look at what a
 * block does by itself: of long ones, one has to do. */
static uint64_t afford(const struct launch *launch, uint64_t each)
{
    const uint64_t n = SAMPLE_INSTRUCTIONS / (each ? each : 1), few = launch->is_searched ? 1 : 2;
    if (n < launch->sample_least)
        return in_runs(launch,
                       larger_of(SAMPLE_LEAST, smaller_of(launch->sample_least, dearest(launch) / each)));
    if (launch->sample_seed && n < SAMPLE_LEAST)
        return in_runs(launch, each <= SAMPLE_INSTRUCTIONS ? SAMPLE_LEAST : few);
    return in_runs(launch, n);
}

/* How far the mean of a sample is likely to be from that of all blocks, as a part of it. */
static double error_of(const struct moments *moments)
{
    const double count = (double)moments->count, mean = count > 0 ? moments->sum / count : 0;
    const double variance = count > 1 ? (moments->squares / count - mean * mean) / (count - 1) : 0;
    return mean > 0 ? sqrt(fmax(variance, 0)) / mean : 0;
}

/* Where blocks take as long as their data wills, more of them tell the mean; of what they may cost there is an end. */
static uint64_t enough(const struct launch *launch, uint64_t each)
{
    const double error = fmax(error_of(&launch->block_work), error_of(&launch->run_work)) / SAMPLE_ERROR;
    const double most = (double)dearest(launch) / (double)(each ? each : 1);
    return error > 1 ? in_runs(launch, (uint64_t)fmin((double)launch->nblocks * error * error, most)) : 0;
}

/* Executes a block, or as much of it as tells that few are all that can be afforded: these are executed in any case, then, and nobody
 * will look at this one. *each: its instructions. */
static bool run_trial(struct launch *launch, run_blocks_fn *run_blocks, uint64_t block, uint64_t *each,
                      bool *is_cut)
{
    const uint64_t budget = launch->budget;
    launch->trial_block = block;
    launch->is_trial = launch->sample_seed && launch->nblocks_asked > 1;
    if (launch->is_trial)
        launch->budget = smaller_of(budget, (uint64_t)SAMPLE_INSTRUCTIONS);
    const bool has_run = run_blocks(launch, 1, 1);
    *each = launch->is_trial_cut ? SAMPLE_INSTRUCTIONS + 1 : instructions_issued(launch);
    if (launch->is_trial_cut)
        launch->fault = 0;
    *is_cut = launch->is_trial_cut;
    launch->budget = budget;
    launch->is_trial = launch->is_trial_cut = false;
    return has_run;
}

/* Of a block that takes so long and comes to memory so rarely, neighbours tell nothing: it shares no sectors with them. */
static const uint64_t SAMPLE_ALONE = SAMPLE_DEAREST / 4;
static bool hardly_loads(const struct launch *launch)
{
    enum { SELDOM = 64 }; /* instructions for a sector */
    const struct traffic *traffic = &launch->traffic;
    return SELDOM * (traffic->l2_read_sectors + traffic->l2_write_sectors) < instructions_issued(launch);
}

static void begin_afresh(struct launch *launch)
{
    if (launch->undo)
        undo_take_back(launch->undo);
    forget_counts(launch);
    launch->printed.size = launch->failed.size = 0;
    findings_clear(launch->findings);
}

/* The last block is often special; so is the first, which gets what is left over when work is dealt out. *each: the last one's
 * instructions. */
static bool run_ends(struct launch *launch, run_blocks_fn *run_blocks, uint64_t *each, bool *is_cut)
{
    const bool has_two = launch->sample_seed && launch->nblocks_asked > 1;
    if (has_two) {
        if (!run_trial(launch, run_blocks, 0, each, is_cut))
            return false;
        launch->end_work[0] = *is_cut ? 0 : *each;
        if (launch->fault)
            return true;
        begin_afresh(launch);
    }
    if (!run_trial(launch, run_blocks, launch->nblocks_asked - 1, each, is_cut))
        return false;
    launch->end_work[1] = has_two && !*is_cut ? *each : 0;
    return true;
}

/* One block tells how many can be afforded. Those tell it better, if it was an unusual one, and how far they differ. */
static bool run_rounds(struct launch *launch, run_blocks_fn *run_blocks, unsigned threads)
{
    const int rounds = launch->sample_seed ? SAMPLE_ROUNDS : 1;
    uint64_t each;
    bool is_cut;
    if (!run_ends(launch, run_blocks, &each, &is_cut))
        return false;
    const bool is_alone = is_cut && !launch->sample_least && hardly_loads(launch);
    uint64_t n = is_alone ? 1 : afford(launch, each), least = is_cut ? 1 : 2;
    for (int round = 0; round < rounds && !launch->fault && n >= least;
         round++, least = 2 * launch->nblocks) {
        begin_afresh(launch);
        if (!run_blocks(launch, n, threads))
            return false;
        each = instructions_issued(launch) / n;
        if (is_alone && each > SAMPLE_ALONE)
            break;
        n = larger_of(afford(launch, each), enough(launch, each));
    }
    return true;
}

bool sample_run(struct launch *launch, run_blocks_fn *run_blocks, unsigned threads)
{
    launch->undo = launch->sample_seed ? undo_new() : NULL;
    const bool has_run = run_rounds(launch, run_blocks, threads);
    undo_free(launch->undo);
    launch->undo = NULL;
    if (!has_run)
        return false;
    scale_up(launch);
    forget_results(launch);
    return true;
}
