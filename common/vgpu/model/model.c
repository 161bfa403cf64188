/* model.c - from one simulated SM to the time of a launch: waves, tail, launch overhead, and what limits it.
 * Blocks go to SMs in turn, so that every SM gets its part of the grid, give or take one; an SM starts the next block
 * when one is done. The simulation runs a few rounds of blocks; from their pace follows the rest. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/pages.h"
#include "model/roofline.h"
#include "model/sample.h"
#include "model/sm.h"

enum {
    BUDGET = 1 << 18, /* recorded instructions to simulate, some ten milliseconds of work */
    ROUNDS = 6        /* of resident blocks, if the budget allows */
};

/* ------------------------------------------------------------------------------------------- figures */

static double part_of(uint64_t some, uint64_t all)
{
    return all ? (some < all ? (double)some / (double)all : 1) : 0;
}

/* Sectors from DRAM for each one that L1 asks for: a lone sector brings its neighbour along. */
static double reads_of(const struct traffic *traffic)
{
    const double ratio = (double)traffic->dram_read_sectors /
                         (double)(traffic->l2_read_sectors ? traffic->l2_read_sectors : 1);
    return smaller_of(ratio, 2);
}

/* ------------------------------------------------------------------------------------------- local memory */

/* What a cache cannot keep of data that are used round and round. */
static double missed_part(double bytes, double capacity)
{
    const double kept = 2 * capacity / bytes - 1;
    return bytes <= capacity ? 0 : kept > 0 ? 1 - kept : 1;
}

/* Shared memory gets one of these sizes: the first that all blocks fit into which can be on an SM. */
static const uint32_t carve_outs[] = {32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10, 196 << 10};

static uint64_t carve_out(const struct gpu *gpu, uint64_t used)
{
    for (size_t i = 0; i < sizeof carve_outs / sizeof *carve_outs; i++)
        if (carve_outs[i] >= used)
            return smaller_of(carve_outs[i], gpu->shared_bytes);
    return gpu->shared_bytes;
}

/* What it leaves to L1, which has some bytes of its own business: measured, lines that one warp finds again. */
static uint32_t l1_bytes_of(const struct launch *launch, uint32_t fit)
{
    enum { OWN = 8 << 10, LEAST = 16 << 10 };
    const struct gpu *gpu = launch->gpu;
    const uint64_t shared = launch->kernel->shared_bytes + launch->dynamic_shared + gpu->shared_reserved;
    const uint64_t taken = gpu->l1_apart ? 0 : carve_out(gpu, fit * shared) + OWN;
    return (uint32_t)larger_of(gpu->l1_bytes > taken ? gpu->l1_bytes - taken : 0, (uint64_t)LEAST);
}

static void set_local(struct sm_job *job, const struct launch *launch)
{
    const struct function *kernel = launch->kernel;
    const uint32_t threads = launch->dim[0] * launch->dim[1] * launch->dim[2];
    const uint32_t each = kernel->local_bytes + kernel->spill_bytes;
    const double bytes = (double)each * threads * job->resident;
    job->l1_bytes = l1_bytes_of(launch, larger_of(launch->blocks_per_sm, 1u));
    job->local_words = larger_of(each / 4, 1u);
    job->local_misses = launch->gpu->l1_local ? missed_part(bytes, job->l1_bytes) : 1;
    job->spill_loads = kernel->spill_loads;
    job->spill_stores = kernel->spill_stores;
    job->local_dram = missed_part(bytes * job->sms, (double)launch->gpu->l2_bytes);
}

/* ------------------------------------------------------------------------------------------- the grid */

struct shape {
    double average;    /* blocks per SM */
    uint64_t most;     /* blocks of the SM that has most */
    uint32_t sms;      /* with work */
    uint32_t resident; /* blocks side by side on an SM */
};

static struct shape shape_of(const struct launch *launch, const struct occupancy *occupancy)
{
    const uint64_t blocks = launch->nblocks_asked, sms = launch->gpu->sms;
    const uint64_t most = divide_up(blocks, sms);
    const uint64_t fit = occupancy->blocks_per_sm ? occupancy->blocks_per_sm : 1;
    return (struct shape){.average = (double)blocks / (double)smaller_of(blocks, sms),
                          .most = most,
                          .sms = (uint32_t)smaller_of(blocks, sms),
                          .resident = (uint32_t)smaller_of(most, fit)};
}

/* Whole rounds: blocks that begin together end together, and a part of a round takes as long as a whole one. */
static uint32_t blocks_to_simulate(const struct shape *shape, double places)
{
    const double afford = BUDGET / larger_of(places, 1) / shape->resident;
    const uint64_t rounds = afford < ROUNDS ? (uint64_t)larger_of(afford, 1) : ROUNDS;
    return (uint32_t)smaller_of(rounds * shape->resident, shape->most);
}

/* Clocks until an SM has done so many blocks, whole or not. */
static double clocks_for(const struct sm_run *run, const struct sm_job *job, double blocks)
{
    const uint32_t total = job->total, resident = job->resident;
    if (blocks <= total) {
        const uint32_t whole = (uint32_t)blocks;
        const double low = whole ? (double)run->done[whole - 1] : 0;
        return whole < total ? low + ((double)run->done[whole] - low) * (blocks - whole) : low;
    }
    /* at the pace between the first round's end and the last round's beginning */
    const bool is_steady = total >= 3 * resident;
    const uint32_t from = is_steady ? resident - 1 : 0, to = is_steady ? total - resident : total - 1;
    const double pace = is_steady ? (double)(run->done[to - 1] - run->done[from]) / (to - 1 - from)
                                  : (double)run->done[total - 1] / total;
    return (double)run->done[total - 1] + (blocks - total) * pace;
}

/* When some SMs are done, L2 and DRAM serve the others faster: there the average SM counts, elsewhere the fullest one. */
static double grid_clocks(const struct sm_run *run, const struct sm_job *job, const struct shape *shape)
{
    const double outside = larger_of(run->busy[SM_DRAM], run->busy[SM_L2]);
    const double average = clocks_for(run, job, shape->average),
                 most = clocks_for(run, job, (double)shape->most);
    return average + (most - average) * (1 - smaller_of(outside, 1));
}

/* ------------------------------------------------------------------------------------------- limiters */

static const char *const resource_names[SM_RESOURCES] = {
    [SM_ISSUE] = "issue",   [SM_FP32] = "fp32", [SM_INT] = "int",       [SM_IMUL] = "imul",
    [SM_FP64] = "fp64",     [SM_FP16] = "fp16", [SM_SFU] = "sfu",       [SM_SHUFFLE] = "shuffle",
    [SM_SHARED] = "shared", [SM_L1] = "l1",     [SM_CONST] = "const",   [SM_TEXTURE] = "texture",
    [SM_L2] = "l2",         [SM_DRAM] = "dram", [SM_ATOMIC] = "atomic", [SM_BARRIER] = "barrier",
    [SM_JUMP] = "jump",
};

static const char *const wait_names[SM_WAITS] = {
    [WAIT_ALU] = "latency",     [WAIT_SHARED] = "latency", [WAIT_MEMORY] = "latency",
    [WAIT_BARRIER] = "barrier", [WAIT_START] = "start",    [WAIT_UNIT] = "issue",
};

/* A resource that is taken nearly all the time limits; else it is what warps wait for most. Below 60 % of the time Nsight Compute,
 * too, speaks of latency; what comes near that is worth a look. */
#define NEARLY_ALL   0.7
#define WORTH_A_LOOK 0.57
#define NEARLY_AS    0.9
#define MOSTLY_TAIL  0.3
/* With those that are lost for operands; where limits.md has a kernel on either side. */
#define HARDLY_A_SLOT 0.75

struct limit {
    const char *name;
    int resource; /* -1: none, but a wait */
};

/* Atomics that meet at few places wait for each other there; where all slices of L2 have their share, they keep L2 busy. */
static const char *name_of_resource(int resource, const struct sm_job *job)
{
    const double few = 2.0 / L2_SLICES;
    const bool is_spread = job->hot_slice < few && job->hot_sector < few;
    return resource_names[resource == SM_ATOMIC && is_spread ? SM_L2 : resource];
}

static int busiest_of(const struct sm_run *run)
{
    int most = 0;
    for (int r = 1; r < SM_RESOURCES; r++)
        most = run->busy[r] > run->busy[most] ? r : most;
    if (run->busy[SM_DRAM] >= NEARLY_AS * run->busy[most])
        return SM_DRAM; /* L2 is busy with what comes from DRAM and goes there */
    return most;
}

static struct limit limit_of(const struct sm_run *run, const struct sm_job *job)
{
    const int most = busiest_of(run);
    int longest = 0;
    for (int w = 1; w < SM_WAITS; w++)
        longest = w != WAIT_UNIT && run->waits[w] > run->waits[longest] ? w : longest;
    if (run->busy[most] >= NEARLY_ALL)
        return (struct limit){name_of_resource(most, job), most};
    if (run->slots >= HARDLY_A_SLOT)
        return (struct limit){resource_names[SM_ISSUE], SM_ISSUE};
    return (struct limit){wait_names[longest], -1};
}

_Static_assert((int)SM_RESOURCES <= MODEL_RESOURCES && (int)SM_WAITS == MODEL_WAITS &&
                   (int)SM_SPENT == MODEL_SPENT,
               "an estimate has room for all");

static void name_busy(struct estimate *out, const struct sm_run *run)
{
    for (int r = 0; r < SM_RESOURCES; r++) {
        if (run->busy[r] < 0.0005)
            continue;
        out->busy[out->nbusy].name = resource_names[r];
        out->busy[out->nbusy++].part = run->busy[r];
    }
}

/* What an SM is busy with is a part of what all SMs have. L2 and DRAM belong to all of them, but through their own ports
 * few SMs get less than all of it. */
static double share_of(const struct gpu *gpu, const struct sm_job *job, int resource)
{
    const double ports = gpu->l2_bytes_per_clock_sm * gpu->clock_mhz * 1e-3 * job->sms; /* GB/s */
    if (resource == SM_ATOMIC)
        return 1;
    if (resource == SM_L2 || resource == SM_DRAM)
        return smaller_of(ports / (resource == SM_L2 ? gpu->l2_gbs : gpu->dram_gbs), 1);
    return (double)job->sms / gpu->sms;
}

static void set_shares(struct estimate *out, const struct sm_run *run, const struct sm_job *job)
{
    const double running_us = out->time_us - out->launch_us;
    for (int r = 0; r < SM_RESOURCES && running_us > 0; r++)
        out->shares[r] = smaller_of(run->busy[r] * running_us / out->time_us * share_of(job->gpu, job, r), 1);
}

static void name_waits(struct estimate *out, const struct sm_run *run)
{
    static const char *const names[SM_WAITS] = {
        [WAIT_ALU] = "arithmetic",  [WAIT_SHARED] = "shared", [WAIT_MEMORY] = "memory",
        [WAIT_BARRIER] = "barrier", [WAIT_START] = "start",   [WAIT_UNIT] = "queue"};
    const double all = run->warp_clocks + run->waits[WAIT_START];
    for (int w = 0; w < SM_WAITS && all > 0; w++) {
        out->waits[out->nwaits].name = names[w];
        out->waits[out->nwaits++].part = run->waits[w] / all;
    }
}

/* ------------------------------------------------------------------------------------------- what was not recorded */

/* How often the launch's warps came through a segment. */
static double executions_of(const struct launch *launch, const struct function *function,
                            const struct segment *segment)
{
    for (uint32_t i = segment->first_insn; i < segment->first_insn + segment->ninsns; i++)
        if (function->code[i].id)
            return (double)launch_stat(launch, function->code[i].id)->warps;
    return 0;
}

/* What the blocks that were simulated took, and what all blocks take. */
struct whole_launch {
    double simulated, launched; /* clocks of warps */
    double known, unknown;     /* instructions of all blocks in segments that were simulated, and in others */
    double busy[SM_RESOURCES]; /* clocks of units */
    double lost[SM_PARTED];    /* of them, those in which operands were fetched */
    double issued;             /* machine instructions */
};

static void add_segments(struct whole_launch *whole, const struct launch *launch, const struct sm_run *run,
                         const struct program_function *entry, const struct function *function)
{
    for (uint32_t s = 0; entry->lowered && s < entry->lowered->nsegments; s++) {
        const uint32_t at = entry->first_segment + s;
        const double executions = executions_of(launch, function, &entry->lowered->segments[s]);
        const bool is_known = run->segments[at].executions > 0;
        *(is_known ? &whole->known : &whole->unknown) += executions * entry->recorded[s];
        if (!is_known)
            continue;
        const double times = executions / run->segments[at].executions;
        whole->simulated += run->segments[at].clocks;
        whole->launched += run->segments[at].clocks * times;
        for (int r = 0; r < SM_RESOURCES; r++)
            whole->busy[r] += run->segments[at].busy[r] * times;
        for (int r = 0; r < SM_PARTED; r++)
            whole->lost[r] += run->segments[at].lost[r] * times;
        whole->issued += run->segments[at].issued * times;
    }
}

/* Segments that were never recorded are taken to cost as much as the others. */
static void add_unknown(struct whole_launch *whole)
{
    const double factor = whole->known > 0 ? 1 + whole->unknown / whole->known : 1;
    whole->launched *= factor;
    whole->issued *= factor;
    for (int r = 0; r < SM_RESOURCES; r++)
        whole->busy[r] *= factor;
    for (int r = 0; r < SM_PARTED; r++)
        whole->lost[r] *= factor;
}

/* Records hold pieces of long warps, and some blocks do more than others: from what each segment costs follows what all
 * its executions cost. */
static struct whole_launch whole_of(const struct launch *launch, const struct sm_job *job,
                                    const struct sm_run *run)
{
    struct whole_launch whole = {0};
    for (uint32_t f = 0; f < job->program->module->nfunctions; f++)
        add_segments(&whole, launch, run, &job->program->functions[f], &job->program->module->functions[f]);
    add_unknown(&whole);
    return whole;
}

static double scale_of(const struct whole_launch *whole, const struct launch *launch,
                       const struct sm_job *job)
{
    const double simulated = whole->simulated / job->total,
                 launched = whole->launched / (double)launch->nblocks_asked;
    return simulated > 0 ? launched / simulated : 1;
}

/* Of an average SM's unit, if all blocks together take so many clocks of it. */
static double unit_clocks(double of_all, const struct launch *launch, const struct shape *shape)
{
    return of_all / (double)launch->nblocks_asked * shape->average;
}

/* Two units that take several clocks for a warp, or one of them and the slots themselves, both with much to do. */
static bool is_crowded(const struct whole_launch *whole, int busiest)
{
    static const uint8_t slow[] = {SM_INT, SM_IMUL, SM_FP64, SM_SFU};
    for (size_t i = 0; busiest < SM_PARTED && i < sizeof slow; i++)
        if (slow[i] != busiest && whole->busy[slow[i]] > NEARLY_ALL * whole->busy[busiest])
            return true;
    return false;
}

/* No unit can be taken for longer than the launch lasts. In pieces of warps a queue may not have grown to its length. Units
 * that get into each other's way are not taken all the time: an H200 issues in 76 % of the clocks where lab 1 draws its
 * points, with 68 % of the integer unit's taken; 0.93 leaves that stage 11 % too fast. */
static double busiest_clocks(const struct whole_launch *whole, const struct launch *launch,
                             const struct shape *shape)
{
    const double most_of_time = 0.93;
    int busiest = 0;
    for (int r = 1; r < SM_RESOURCES; r++)
        if (whole->busy[r] > whole->busy[busiest])
            busiest = r;
    return unit_clocks(whole->busy[busiest], launch, shape) / (is_crowded(whole, busiest) ? most_of_time : 1);
}

/* What was taken of each unit in the whole launch, not in the pieces that were simulated. A unit that waits for operands is taken,
 * but not busy: Nsight Compute, too, calls that a stall. */
static void take_busy(struct sm_run *run, const struct whole_launch *whole, const struct launch *launch,
                      const struct shape *shape, double clocks)
{
    for (int r = 0; r < SM_RESOURCES && clocks > 0; r++)
        run->busy[r] =
            unit_clocks(whole->busy[r] - (r < SM_PARTED ? whole->lost[r] : 0), launch, shape) / clocks;
    run->slots = clocks > 0 ? unit_clocks(whole->busy[SM_ISSUE], launch, shape) / clocks : 0;
}

/* ------------------------------------------------------------------------------------------- instructions */

/* What was simulated of a segment, and what all blocks do of it. */
static double times_of(const struct launch *launch, const struct sm_run *run,
                       const struct program_function *entry, const struct function *function,
                       uint32_t segment)
{
    const double simulated = run->segments[entry->first_segment + segment].executions;
    const double executions = executions_of(launch, function, &entry->lowered->segments[segment]);
    return simulated > 0 ? executions / simulated : 0;
}

static void scale_spent(const struct launch *launch, const struct sm_run *run,
                        const struct program_function *entry, const struct function *function)
{
    for (uint32_t i = 0; entry->lowered && i < function->ncode; i++) {
        const uint32_t id = function->code[i].id, segment = entry->lowered->segment_of[i];
        if (!id || id >= launch->nstats || segment >= entry->lowered->nsegments)
            continue;
        const double times = times_of(launch, run, entry, function, segment);
        for (int on = 0; on < SM_SPENT; on++)
            run->spent[id][on] *= times;
    }
}

/* From clocks of what was simulated to parts of what all blocks take. */
static void take_spent(struct estimate *out, const struct launch *launch, const struct sm_job *job,
                       struct sm_run *run)
{
    const struct module *module = job->program->module;
    double all = 0;
    for (uint32_t f = 0; f < module->nfunctions; f++)
        scale_spent(launch, run, &job->program->functions[f], &module->functions[f]);
    for (int on = 0; on < SM_SPENT; on++)
        run->spent[0][on] = 0; /* what nobody wrote, the exit at a function's end, is no line's */
    for (uint32_t i = 0; i < job->nids; i++)
        for (int on = 0; on < SM_SPENT; on++)
            all += run->spent[i][on];
    for (uint32_t i = 0; i < job->nids; i++)
        for (int on = 0; on < SM_SPENT; on++)
            run->spent[i][on] /= all > 0 ? all : 1;
    out->spent = run->spent;
    out->nspent = job->nids;
    run->spent = NULL;
    out->timeline = run->timeline;
    run->timeline = NULL;
}

void estimate_free(struct estimate *estimate)
{
    free(estimate->spent);
    timeline_free(estimate->timeline);
    estimate->timeline = NULL;
    estimate->spent = NULL;
    estimate->nspent = 0;
}

/* ------------------------------------------------------------------------------------------- a job */

static bool make_job(struct sm_job *job, const struct launch *launch, const struct shape *shape,
                     struct sample *sample)
{
    const struct traffic *traffic = &launch->traffic;
    *job = (struct sm_job){
        .gpu = launch->gpu,
        .program = program_for(launch),
        .blocks = sample->blocks,
        .nblocks = sample->nblocks,
        .resident = shape->resident,
        .registers = launch->kernel->registers,
        .total = blocks_to_simulate(shape, sample->places),
        .sms = shape->sms,
        .dram_reads = reads_of(traffic),
        .dram_writes = part_of(traffic->dram_write_sectors, traffic->l2_write_sectors),
        .write_share =
            part_of(traffic->dram_write_sectors, traffic->dram_read_sectors + traffic->dram_write_sectors),
        .fills = sample_fills(sample, part_of(traffic->dram_write_sectors, traffic->l2_write_sectors)),
        .random = part_of(traffic->random_sectors, traffic->dram_read_sectors + traffic->dram_write_sectors),
        .hot_slice = sample_hot_slice(sample),
        .hot_sector = sample_hot_sector(sample),
        .fits_l2 = cache_footprint(launch->memory) <= (double)launch->gpu->l2_bytes,
    };
    set_local(job, launch);
    job->scatter = pages_scatter(launch, job);
    sample_mark_shared(sample);
    return job->program != NULL;
}

/* So many of each warp's that all of them together are a fourth of what is simulated at most. */
static uint32_t places_for_rough(const struct sm_job *job)
{
    return BUDGET / 4 / larger_of(job->resident * job->blocks[0]->nwarps, 1u);
}

/* What a warp that waits for a clock would have issued meanwhile. */
static double skipped_clocks(const struct launch *launch)
{
    return (double)launch->skipped * launch->gpu->alu_latency;
}

/* A launch is over when its last stores have arrived: on their way to L2, back with that answer, and seen by whoever comes
 * next. On an H200 small kernels that store take 0.40 us longer than empty ones in a stream and 0.43 in a graph, of which a load
 * from L2 is 0.17 (turn_* and empty_*, graph_turn_* and graph_empty_*, held, in bench/h200/calls.csv). */
#define SETTLING 1.75 /* times L2's latency */

static double settling_clocks(const struct launch *launch)
{
    return launch->traffic.l2_write_sectors ? SETTLING * launch->gpu->l2_latency : 0;
}

/* The time if there were no end of the limiting resource, or no latency. */
static double without_limit(struct sm_job job, const struct shape *shape, struct limit limit, double scale)
{
    struct sm_run run;
    job.nids = 0;
    job.without = limit.resource >= 0 ? 1u << limit.resource : 0;
    job.is_prompt = limit.resource < 0;
    if (!sm_simulate(&run, &job))
        return 0;
    const double clocks = grid_clocks(&run, &job, shape) * scale;
    sm_run_free(&run);
    return clocks / job.gpu->clock_mhz;
}

/* Where neither is clear, what limits is what would gain most if it were no limit: the busiest resource, or latency. */
static struct limit clear_limit(const struct sm_job *job, const struct shape *shape, const struct sm_run *run,
                                struct limit limit, double scale, double *without)
{
    int busiest = 0;
    for (int r = 1; r < SM_RESOURCES; r++)
        busiest = run->busy[r] > run->busy[busiest] ? r : busiest;
    *without = without_limit(*job, shape, limit, scale);
    if (limit.resource >= 0 || run->busy[busiest] < WORTH_A_LOOK)
        return limit;
    const struct limit other = {name_of_resource(busiest, job), busiest};
    const double without_other = without_limit(*job, shape, other, scale);
    if (!(without_other > 0) || without_other >= *without)
        return limit;
    *without = without_other;
    return other;
}

static struct block_record *longest_record(const struct launch *launch)
{
    if (launch->longest.record)
        return launch->longest.record;
    for (uint32_t b = 0; b < RECORD_BLOCKS; b++)
        if (launch->records[b] && launch->records[b]->index == launch->longest.block)
            return launch->records[b];
    return NULL;
}

/* True if one warp has much more to do than the others. */
static bool is_uneven(const struct launch *launch)
{
    const double much = 4;
    const uint32_t threads = launch->dim[0] * launch->dim[1] * launch->dim[2];
    double instructions = 0;
    for (uint32_t i = 0; i < launch->nstats; i++)
        instructions += (double)launch->stats[i].warps;
    return (double)launch->longest.clock * (double)launch->nblocks_asked * divide_up(threads, 32u) >
           much * instructions;
}

/* No launch is over before its longest warp is. How long that takes if it has the GPU to itself: 0, where it is hardly longer than
 * others, or there is no other block, and what was simulated of them all tells more. */
static double longest_clocks(const struct sm_job *job, const struct launch *launch)
{
    struct block_record *record = launch->nblocks_asked > 1 ? longest_record(launch) : NULL;
    if (!record || !record->warps[launch->longest.warp].nplaces || !is_uneven(launch))
        return 0;
    struct sm_job alone = *job;
    struct sm_run run;
    alone.blocks = &record;
    alone.nblocks = alone.resident = alone.total = alone.sms = 1;
    alone.nids = 0;
    if (!sm_simulate(&run, &alone))
        return 0;
    const double clocks =
        (double)run.done[0] * (double)launch->longest.clock / record->warps[launch->longest.warp].nplaces;
    sm_run_free(&run);
    return clocks;
}

/* Of a sample: a first block that does more than others is done later than they are, and a last one goes on alone. */
static double ends_clocks(const struct launch *launch, double paced)
{
    const double much = 1.5, mean = launch->block_work.sum / larger_of((double)launch->block_work.count, 1.0);
    const double waves = larger_of((double)launch->nblocks_asked / (double)launch->resident_blocks, 1.0);
    const double first = (double)launch->end_work[0], last = (double)launch->end_work[1];
    double clocks = 0;
    if (first > much * mean && mean > 0)
        clocks = first / mean * paced / waves;
    if (last > much * mean && mean > 0)
        clocks = larger_of(clocks, paced + (last / mean - 1) * paced / waves);
    return clocks;
}

/* From an SM that was simulated to all blocks. longest: no less than that. */
static double launch_clocks(const struct sm_run *run, const struct sm_job *job, const struct shape *shape,
                            const struct launch *launch, double longest)
{
    const struct whole_launch whole = whole_of(launch, job, run);
    const double paced = grid_clocks(run, job, shape) * scale_of(&whole, launch, job);
    const double shared = larger_of(paced, busiest_clocks(&whole, launch, shape));
    return larger_of(shared, larger_of(longest, ends_clocks(launch, paced))) + skipped_clocks(launch) +
           settling_clocks(launch);
}

/* ------------------------------------------------------------------------------------------- the estimate */

void model_estimate(struct estimate *out, const struct launch *launch, const struct occupancy *occupancy,
                    enum model_detail detail)
{
    const struct gpu *gpu = launch->gpu;
    const struct shape shape = shape_of(launch, occupancy);
    struct sample sample;
    struct sm_job job;
    struct sm_run run;
    sample_collect(&sample, launch);
    *out = (struct estimate){
        .time_us = gpu->launch_overhead_us, .launch_us = gpu->launch_overhead_us, .limiter = "launch"};
    if (!sample.nblocks || !make_job(&job, launch, &shape, &sample))
        return;
    if (detail == MODEL_ROUGHLY)
        job.most_places = places_for_rough(&job);
    job.nids = detail == MODEL_PROFILED ? (uint32_t)launch->nstats : 0;
    if (!sm_simulate(&run, &job))
        return;
    const struct whole_launch whole = whole_of(launch, &job, &run);
    const double scale = scale_of(&whole, launch, &job);
    const double paced = grid_clocks(&run, &job, &shape) * scale,
                 even = clocks_for(&run, &job, shape.average) * scale;
    const double longest = longest_clocks(&job, launch);
    const double last = larger_of(paced, larger_of(longest, ends_clocks(launch, paced)));
    const double clocks = launch_clocks(&run, &job, &shape, launch, longest);
    const double us = clocks / gpu->clock_mhz;
    take_busy(&run, &whole, launch, &shape, clocks);
    struct limit limit = limit_of(&run, &job);
    double without = 0;
    if (detail >= MODEL_EXPLAINED)
        limit = clear_limit(&job, &shape, &run, limit, scale, &without);
    out->time_us += us;
    out->issued = whole.issued;
    out->tail = last > even ? (last - even) / clocks : 0;
    if (us > gpu->launch_overhead_us)
        out->limiter = out->tail > MOSTLY_TAIL ? "tail" : limit.name;
    name_busy(out, &run);
    set_shares(out, &run, &job);
    name_waits(out, &run);
    out->l1_sectors = run.looked_up;
    out->l1_missed = run.missed;
    out->active_warps = run.warp_clocks / larger_of((double)run.done[job.total - 1], 1.0);
    if (detail >= MODEL_EXPLAINED)
        out->without_us = gpu->launch_overhead_us + without;
    if (detail == MODEL_PROFILED)
        take_spent(out, launch, &job, &run);
    roofline_place(&out->roofline, launch, out->time_us);
    sm_run_free(&run);
}

/* ------------------------------------------------------------------------------------------- kernels that were changed */

struct model_trial {
    const struct launch *launch;
    struct shape shape;
    struct sample sample;
    struct sm_job job;
};

struct model_trial *model_trial_begin(const struct launch *launch)
{
    const struct occupancy occupancy = {.blocks_per_sm = launch->blocks_per_sm};
    struct model_trial *trial = malloc(sizeof *trial);
    if (!trial)
        return NULL;
    *trial = (struct model_trial){.launch = launch, .shape = shape_of(launch, &occupancy)};
    sample_collect(&trial->sample, launch);
    if (trial->sample.nblocks && make_job(&trial->job, launch, &trial->shape, &trial->sample))
        return trial;
    free(trial);
    return NULL;
}

static int resource_of(const char *name)
{
    for (int r = 0; r < SM_RESOURCES; r++)
        if (!strcmp(resource_names[r], name))
            return r;
    return SM_RESOURCES;
}

static struct sm_change read_change(const struct model_change *change)
{
    struct sm_change out = {.kept = change->kept,
                            .nkept = change->nkept,
                            .memory_overlap = larger_of(change->memory_overlap, 1u),
                            .compute_overlap = larger_of(change->compute_overlap, 1u),
                            .is_without_barriers = change->is_without_barriers,
                            .is_without_starts = change->is_without_starts};
    for (int r = 0; r < SM_RESOURCES; r++)
        out.left[r] = 1;
    for (size_t i = 0; i < change->nleft; i++)
        if (resource_of(change->left[i].name) < SM_RESOURCES)
            out.left[resource_of(change->left[i].name)] *= change->left[i].part;
    return out;
}

double model_trial_time(const struct model_trial *trial, const struct model_change *change)
{
    const struct launch *launch = trial->launch;
    const struct sm_change changed = read_change(change);
    struct shape shape = trial->shape;
    struct sm_job job = trial->job;
    struct sm_run run;
    job.change = &changed;
    if (change->blocks_per_sm) {
        shape.resident = (uint32_t)smaller_of(shape.most, (uint64_t)change->blocks_per_sm);
        job.resident = shape.resident;
        job.total = blocks_to_simulate(&shape, trial->sample.places);
    }
    if (change->is_without_spills)
        job.spill_loads = job.spill_stores = 0;
    if (!sm_simulate(&run, &job))
        return 0;
    const double clocks = launch_clocks(&run, &job, &shape, launch, longest_clocks(&job, launch));
    sm_run_free(&run);
    return launch->gpu->launch_overhead_us + clocks / launch->gpu->clock_mhz;
}

void model_trial_end(struct model_trial *trial)
{
    free(trial);
}

void model_forget(struct module *module)
{
    program_free(module->program);
    module->program = NULL;
}
