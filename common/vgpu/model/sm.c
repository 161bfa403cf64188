/* sm.c - the simulation of one SM: see sm.h.
 *
 * Theory of operation. Every resident warp has a time at which it can issue its next operation: when its operands are
 * there and it has issued the one before. The warp with the earliest time issues: it takes a slot of its scheduler, then
 * waits in line for the unit. Units are servers with one queue: `free` is when the last of those in line will be
 * through. So one step of the simulation is one operation, whatever the number of clocks in between.
 * Memory is a row of such servers: L1 (lines and sectors), L2 and DRAM (the SM's share of them). What L2 misses is given
 * as a part of all sectors, and dealt out evenly. */
#include "model/sm.h"

#include <stdlib.h>
#include <string.h>

enum {
    TICKS = 256, /* per clock */
    MAX_PARTS = 8,
    MAX_WARPS = 128,
    SECTOR = 32,
    STORE_QUEUE = 1024, /* clocks of work that may wait at L2 before stores block the SM's memory pipe */
    BRANCH_CLOCKS = 8,  /* until a warp issues again after a branch */
    SWITCH_TICKS =
        218, /* two half units make up a unit of 32 lanes; only a warp's own next operation overlaps */
    ARRIVAL_CLOCKS = 2 /* that an SM needs for a warp's arrival at a barrier */
};

/* L2 is asked line by line: a lone sector of a line costs nearly as much as two. */
#define LINE_SECTORS 1.7
/* A read waits so long where a busy DRAM does nothing but write. */
#define TURN_CLOCKS 1600
/* Reads and writes in turn cost DRAM this part of its rate. */
#define TURN_LOSS 0.07
/* DRAM gives 64 bytes at least. */
enum { DRAM_SECTORS = 2 };
/* A sector that is written in part costs a bit more than a whole one. */
#define PARTIAL_COST 1.25

struct unit {
    uint64_t free, busy;
};

struct sm_warp {
    const struct warp_record *record;
    uint32_t place, cost; /* how far it is in its record */
    const struct op *op, *end;
    uint32_t lowest, highest;        /* instructions of the segment under way that were executed */
    const struct access_cost *costs; /* of the segment under way, from its costs_from-th on */
    uint32_t costs_from;
    uint64_t *ready;         /* by register: when its value is there */
    uint8_t *source;         /* by register: enum sm_wait, who makes it */
    uint32_t first_register; /* of the function under way */
    uint64_t time;           /* earliest issue */
    uint64_t last;           /* issue */
    uint64_t began;
    uint32_t block;
    uint32_t part;
};

struct sm_block {
    uint32_t first_warp, nwarps, live, arrived;
    uint64_t last_arrival;
};

struct sm {
    const struct sm_job *job;
    struct sm_run *run;
    struct unit parted[SM_PARTED][MAX_PARTS];
    struct unit units[SM_RESOURCES];
    uint64_t interval[OP_CLASSES], latency[OP_CLASSES];
    uint64_t l1_pass, l2_read, l2_write, dram_sector, atomic;
    uint64_t switch_cost;               /* of a float unit that goes from one warp to another */
    uint64_t block_interval;            /* between starts of blocks, when all SMs start some */
    uint64_t read_credit, write_credit; /* of sectors that DRAM must still see, in TICKS */
    uint64_t launcher;                  /* when the next block can be started */
    struct sm_block *blocks;
    struct sm_warp *warps;
    uint32_t nwarps;
    uint16_t heap[MAX_WARPS]; /* warps that can issue, earliest first */
    uint32_t nheap;
    uint32_t started, finished;
};

/* ------------------------------------------------------------------------------------------- rates */

#define AT(field) offsetof(struct gpu, field)

/* Which unit an operation takes, how many lanes of it finish per clock on the whole SM, and when the result is there. */
static const struct {
    uint8_t unit, wait;
    size_t lanes, latency;
} classes[OP_CLASSES] = {
    [OP_FP32] = {SM_FP32, WAIT_ALU, AT(fp32_lanes), AT(alu_latency)},
    [OP_ALU] = {SM_INT, WAIT_ALU, AT(int_lanes), AT(alu_latency)},
    [OP_IMAD] = {SM_IMUL, WAIT_ALU, AT(imul_lanes), AT(imul_latency)},
    [OP_IMAD_WIDE] = {SM_IMUL, WAIT_ALU, AT(wide_lanes), AT(imul_latency)},
    [OP_FP64] = {SM_FP64, WAIT_ALU, AT(fp64_lanes), AT(fp64_latency)},
    [OP_FP16] = {SM_FP16, WAIT_ALU, AT(fp16_lanes), AT(alu_latency)},
    [OP_SFU] = {SM_SFU, WAIT_ALU, AT(sfu_lanes), AT(sfu_latency)},
    [OP_CVT64] = {SM_SFU, WAIT_ALU, AT(cvt64_lanes), AT(sfu_latency)},
    [OP_SHUFFLE] = {SM_SHUFFLE, WAIT_SHARED, AT(shuffle_lanes), AT(shuffle_latency)},
    [OP_VOTE] = {SM_INT, WAIT_ALU, AT(int_lanes), AT(alu_latency)},
    [OP_UNIFORM] = {SM_ISSUE, WAIT_ALU, 0, AT(alu_latency)},
    [OP_BRANCH] = {SM_ISSUE, WAIT_ALU, 0, AT(alu_latency)},
    [OP_BARRIER] = {SM_ISSUE, WAIT_BARRIER, 0, AT(barrier_latency)},
    [OP_FENCE] = {SM_ISSUE, WAIT_MEMORY, 0, AT(l2_latency)},
    [OP_TENSOR] = {SM_FP16, WAIT_ALU, AT(fp16_lanes), AT(fp64_latency)},
    [OP_GLOBAL] = {SM_L1, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_SHARED] = {SM_SHARED, WAIT_SHARED, 0, AT(shared_latency)},
    [OP_LOCAL] = {SM_L1, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_CONST] = {SM_CONST, WAIT_MEMORY, 0, AT(l1_latency)},
    [OP_TEXTURE] = {SM_TEXTURE, WAIT_MEMORY, 0, AT(l1_latency)},
};

static uint32_t figure(const struct gpu *gpu, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)gpu + offset, sizeof value);
    return value;
}

static uint32_t parts_of(const struct gpu *gpu)
{
    return gpu->schedulers_per_sm < MAX_PARTS ? gpu->schedulers_per_sm : MAX_PARTS;
}

/* Ticks for some bytes at a rate in bytes per clock; at least one. */
static uint64_t ticks_for(double bytes, double per_clock)
{
    const double ticks = bytes * TICKS / per_clock;
    return ticks < 1 ? 1 : (uint64_t)(ticks + 0.5);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void set_class_rates(struct sm *sm)
{
    const struct gpu *gpu = sm->job->gpu;
    for (int c = 0; c < OP_CLASSES; c++) {
        const bool is_parted = classes[c].unit < SM_PARTED;
        const uint32_t lanes = classes[c].lanes ? figure(gpu, classes[c].lanes) : 0;
        const double share = is_parted ? (double)lanes / parts_of(gpu) : lanes;
        sm->interval[c] = lanes ? ticks_for(LANES, share) : TICKS;
        sm->latency[c] = sm->job->is_prompt ? TICKS : (uint64_t)figure(gpu, classes[c].latency) * TICKS;
    }
}

/* An SM gets its fair share of what all draw from, and never more than its own port lets through. */
static void set_memory_rates(struct sm *sm)
{
    const struct gpu *gpu = sm->job->gpu;
    const double clock = gpu->clock_mhz * 1e6, sms = sm->job->sms;
    const double port = gpu->l2_bytes_per_clock_sm;
    sm->l1_pass = ticks_for(128, gpu->l1_bytes_per_clock);
    sm->l2_read = ticks_for(SECTOR, least(gpu->l2_gbs * 1e9 / clock / sms, port));
    sm->l2_write = ticks_for(SECTOR, least(gpu->l2_write_gbs * 1e9 / clock / sms, port));
    const double mix = 4 * sm->job->write_share * (1 - sm->job->write_share);
    const double dram = gpu->dram_gbs * (1 - TURN_LOSS * mix);
    sm->dram_sector = ticks_for(SECTOR, least(dram * 1e9 / clock / sms, port));
    sm->atomic = (uint64_t)(gpu->atomic_cycles * sm->job->hot * sms * TICKS);
    sm->switch_cost = gpu->fp32_lanes / parts_of(gpu) == LANES && gpu->cc_major >= 8 ? SWITCH_TICKS : 0;
    sm->block_interval = (uint64_t)(gpu->block_launch_cycles * sms * TICKS);
}

/* ------------------------------------------------------------------------------------------- units */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Waits in line; gives the time at which the service begins. */
static uint64_t take(struct sm *sm, struct unit *unit, enum sm_resource resource, uint64_t at,
                     uint64_t duration)
{
    if (sm->job->without >> resource & 1)
        return at;
    const uint64_t start = later(at, unit->free);
    unit->free = start + duration;
    unit->busy += duration;
    return start;
}

static uint64_t take_shared(struct sm *sm, enum sm_resource resource, uint64_t at, uint64_t duration)
{
    return take(sm, &sm->units[resource], resource, at, duration);
}

/* ------------------------------------------------------------------------------------------- the queue of warps */

static bool is_before(const struct sm *sm, uint16_t a, uint16_t b)
{
    const uint64_t x = sm->warps[a].time, y = sm->warps[b].time;
    return x != y ? x < y : a < b;
}

static void sift_down(struct sm *sm, uint32_t at)
{
    const uint16_t warp = sm->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < sm->nheap; at = child) {
        if (child + 1 < sm->nheap && is_before(sm, sm->heap[child + 1], sm->heap[child]))
            child++;
        if (!is_before(sm, sm->heap[child], warp))
            break;
        sm->heap[at] = sm->heap[child];
    }
    sm->heap[at] = warp;
}

static void push(struct sm *sm, uint16_t warp)
{
    uint32_t at = sm->nheap++;
    for (; at && is_before(sm, warp, sm->heap[(at - 1) / 2]); at = (at - 1) / 2)
        sm->heap[at] = sm->heap[(at - 1) / 2];
    sm->heap[at] = warp;
}

static void drop_first(struct sm *sm)
{
    sm->heap[0] = sm->heap[--sm->nheap];
    if (sm->nheap)
        sift_down(sm, 0);
}

/* ------------------------------------------------------------------------------------------- accesses */

static const struct access_cost no_cost;

/* The cost of an access, with those of the instructions that were merged into it. */
static struct access_cost cost_of(const struct sm_warp *warp, const struct op *op)
{
    const struct access_cost *end = warp->record->costs + warp->cost;
    if (op->memory == NO_REGISTER || !warp->costs)
        return no_cost;
    const struct access_cost *first = warp->costs + op->memory - warp->costs_from;
    struct access_cost cost = first < end ? *first : no_cost;
    for (uint32_t i = 0; i < OP_MERGED && op->merged[i] != NO_PLACE; i++) {
        const struct access_cost *more = warp->costs + op->merged[i] - warp->costs_from;
        if (more >= end)
            break;
        /* words that lie apart in steps of the vector conflict one by one, and no more together; a broadcast of four
         * words is one pass, as that of one word */
        if (more->wavefronts > cost.wavefronts)
            cost.wavefronts = more->wavefronts;
        cost.sectors = (uint16_t)(cost.sectors + more->sectors);
        cost.l2_reads = (uint16_t)(cost.l2_reads + more->l2_reads);
        cost.l2_writes = (uint16_t)(cost.l2_writes + more->l2_writes);
    }
    return cost;
}

/* Whole sectors of a part of all sectors, dealt out evenly. */
static uint64_t deal(uint64_t *credit, double sectors)
{
    *credit += (uint64_t)(sectors * TICKS);
    const uint64_t whole = *credit / TICKS;
    *credit %= TICKS;
    return whole;
}

static uint64_t memory_latency(const struct sm *sm, uint32_t clocks)
{
    return sm->job->is_prompt ? TICKS : (uint64_t)clocks * TICKS;
}

/* What an access asks of L2, in sectors. L1 may have kept some of the lines. */
static double l2_sectors(const struct access_cost *cost, uint32_t sectors)
{
    const double lines = cost->sectors ? (double)cost->lines * sectors / cost->sectors : 0;
    const double least_sectors = lines * LINE_SECTORS;
    return sectors > least_sectors ? sectors : least_sectors;
}

static double dram_sectors(const struct access_cost *cost, uint32_t sectors)
{
    const double lines = cost->sectors ? (double)cost->lines * sectors / cost->sectors : 0;
    return sectors > DRAM_SECTORS * lines ? sectors : DRAM_SECTORS * lines;
}

/* A busy DRAM collects writes and does many at a time; reads wait for them. */
static uint64_t turnaround(const struct sm *sm, uint64_t at)
{
    const double busy = at ? least((double)sm->units[SM_DRAM].busy / (double)at, 1) : 0;
    return memory_latency(sm, (uint32_t)(TURN_CLOCKS * sm->job->write_share * busy));
}

/* Sectors come from L2, some of them from DRAM; gives the time at which the last is there. */
static uint64_t fetch(struct sm *sm, uint64_t at, const struct access_cost *cost)
{
    const struct gpu *gpu = sm->job->gpu;
    const uint64_t passing = (uint64_t)(l2_sectors(cost, cost->l2_reads) * (double)sm->l2_read);
    uint64_t there = take_shared(sm, SM_L2, at, passing) + passing + memory_latency(sm, gpu->l2_latency);
    const uint64_t missing =
        deal(&sm->read_credit, dram_sectors(cost, cost->l2_reads) * sm->job->dram_reads) * sm->dram_sector;
    if (missing)
        there = later(there, take_shared(sm, SM_DRAM, at, missing) + missing +
                                 memory_latency(sm, gpu->dram_latency) + turnaround(sm, at));
    return there;
}

/* Sectors go to L2; nobody waits for them, but the pipe blocks when too many are under way. */
static void write_back(struct sm *sm, struct unit *pipe, uint64_t at, const struct access_cost *cost)
{
    const double sectors =
        l2_sectors(cost, cost->l2_writes) * (cost->bytes < cost->l2_writes * SECTOR ? PARTIAL_COST : 1);
    const uint64_t passing = (uint64_t)(sectors * (double)(cost->addresses ? sm->l2_read : sm->l2_write));
    take_shared(sm, SM_L2, at, passing);
    const uint64_t written = deal(&sm->write_credit, dram_sectors(cost, cost->l2_writes) *
                                                         sm->job->dram_writes * (1 + sm->job->fills));
    if (written)
        take_shared(sm, SM_DRAM, at, written * sm->dram_sector);
    const uint64_t queue = later(sm->units[SM_L2].free, sm->units[SM_DRAM].free);
    if (queue > at + (uint64_t)STORE_QUEUE * TICKS)
        pipe->free = later(pipe->free, queue - (uint64_t)STORE_QUEUE * TICKS);
}

/* Operations on different words of one line wait for each other longer than those on one word. */
enum { LINE_CONFLICT = 3 };

/* A hot address is served for all SMs in turn; gives the time at which this request is. */
static uint64_t queue_atomic(struct sm *sm, uint64_t at, const struct op *op, const struct access_cost *cost)
{
    const uint64_t operations = op->is_aggregated      ? cost->addresses
                                : cost->addresses == 1 ? cost->lanes
                                                       : (uint64_t)cost->sectors * LINE_CONFLICT;
    const uint64_t passing = operations * sm->atomic;
    return take_shared(sm, SM_ATOMIC, at, passing) + passing;
}

static uint64_t access_global(struct sm *sm, uint64_t at, const struct op *op, const struct access_cost *cost)
{
    struct unit *pipe = &sm->units[SM_L1];
    const uint64_t passing = (uint64_t)(cost->passes ? cost->passes : 1) * sm->l1_pass;
    uint64_t start = take(sm, pipe, SM_L1, at, passing) + passing;
    if (cost->addresses)
        start = queue_atomic(sm, start, op, cost);
    if (cost->l2_writes)
        write_back(sm, pipe, start, cost);
    if (op->def[0] == NO_REGISTER)
        return start;
    if (cost->addresses)
        return start + memory_latency(sm, sm->job->gpu->l2_latency);
    return cost->l2_reads ? fetch(sm, start, cost) : start + sm->latency[OP_GLOBAL];
}

/* Shared memory and L1 are one memory with one pipe. */
static uint64_t access_shared(struct sm *sm, uint64_t at, const struct access_cost *cost)
{
    const uint64_t passing = (uint64_t)cost->wavefronts * TICKS;
    const uint64_t start = later(at, sm->units[SM_L1].free);
    take_shared(sm, SM_SHARED, start, passing);
    if (!(sm->job->without >> SM_SHARED & 1))
        sm->units[SM_L1].free = start + passing;
    return start + passing + sm->latency[OP_SHARED];
}

/* A warp's texture fetch, a word of constant memory, four sectors of local memory. */
enum { TEXTURE_CLOCKS = 8, CONST_CLOCKS = 2, LOCAL_CLOCKS = 2 };

static uint64_t access_other(struct sm *sm, uint64_t at, const struct op *op, const struct access_cost *cost)
{
    const enum sm_resource unit = classes[op->class].unit;
    const uint64_t passing = op->class == OP_CONST ? (uint64_t)cost->sectors * CONST_CLOCKS * TICKS
                             : op->class == OP_TEXTURE
                                 ? (uint64_t)TEXTURE_CLOCKS * TICKS
                                 : (uint64_t)(cost->sectors + 3) / 4 * LOCAL_CLOCKS * TICKS;
    const uint64_t start = take_shared(sm, unit, at, passing) + passing;
    return cost->l2_reads ? fetch(sm, start, cost) : start + sm->latency[op->class];
}

static uint64_t access_memory(struct sm *sm, const struct sm_warp *warp, uint64_t at, const struct op *op)
{
    const struct access_cost cost = cost_of(warp, op);
    if (!cost.lanes)
        return at;
    if (cost.wavefronts) {
        const uint64_t there = access_shared(sm, at, &cost);
        return cost.l2_reads ? fetch(sm, at, &cost) : there; /* an asynchronous copy does both */
    }
    return op->class == OP_GLOBAL ? access_global(sm, at, op, &cost) : access_other(sm, at, op, &cost);
}

/* ------------------------------------------------------------------------------------------- a warp's next operation */

/* Instructions with costs among the first ones of a segment. */
static uint32_t costs_before(const struct function *function, const struct segment *segment, uint32_t code)
{
    uint32_t count = 0;
    for (uint32_t i = segment->first_insn; i < code; i++)
        count += record_has_cost(&function->code[i]);
    return count;
}

/* How many places from here on follow each other within the segment. */
static uint32_t run_length(const struct warp_record *record, uint32_t at, uint32_t end_code)
{
    uint32_t n = 1;
    while (at + n < record->nplaces && record->places[at + n] > record->places[at + n - 1] &&
           record->places[at + n] < end_code)
        n++;
    return n;
}

/* Part of a segment: lanes had to wait for each other in between, or the record ends here. */
static void take_part(const struct sm *sm, struct sm_warp *warp, const struct lowered *lowered,
                      const struct segment *segment)
{
    const struct warp_record *record = warp->record;
    const uint32_t first = record->places[warp->place], base = first - place_code(first);
    const struct function *function = &sm->job->program->module->functions[place_function(first)];
    const uint32_t n = run_length(record, warp->place, base + segment->first_insn + segment->ninsns);
    const uint32_t before = costs_before(function, segment, place_code(first));
    warp->lowest = place_code(first);
    warp->highest = place_code(record->places[warp->place + n - 1]);
    warp->costs = record->costs ? record->costs + warp->cost : NULL;
    warp->costs_from = before;
    warp->cost += costs_before(function, segment, warp->highest + 1) - before;
    warp->place += n;
    warp->op = lowered->ops + segment->first_op;
    warp->end = warp->op + segment->nops;
}

static void take_whole(struct sm_warp *warp, const struct lowered *lowered, const struct segment *segment,
                       uint32_t length)
{
    warp->lowest = 0;
    warp->highest = UINT32_MAX;
    warp->costs = warp->record->costs ? warp->record->costs + warp->cost : NULL;
    warp->costs_from = 0;
    warp->cost += segment->nmemory;
    warp->place += length;
    warp->op = lowered->ops + segment->first_op;
    warp->end = warp->op + segment->nops;
}

/* The segment at which the warp's record goes on. False: the record is over. */
static bool next_segment(const struct sm *sm, struct sm_warp *warp)
{
    const struct warp_record *record = warp->record;
    while (warp->place < record->nplaces) {
        const uint32_t place = record->places[warp->place];
        const struct program_function *function = &sm->job->program->functions[place_function(place)];
        const struct lowered *lowered = function->lowered;
        const uint32_t index = lowered->segment_of[place_code(place)];
        const struct segment *segment = &lowered->segments[index];
        const uint32_t length = function->recorded[index];
        warp->first_register = function->first_register;
        if (record->nplaces - warp->place >= length &&
            record->places[warp->place + length - 1] - place == function->spans[index])
            take_whole(warp, lowered, segment, length);
        else
            take_part(sm, warp, lowered, segment);
        if (warp->op < warp->end)
            return true;
    }
    return false;
}

/* Operations of a part of a segment that belong to its other parts. */
static void skip_others(struct sm_warp *warp)
{
    while (warp->op < warp->end && (warp->op->insn < warp->lowest || warp->op->insn > warp->highest))
        warp->op++;
}

/* When the operands of the warp's next operation are there, and who is the last to come. */
static uint64_t operands_ready(const struct sm_warp *warp, uint8_t *wait)
{
    const uint64_t *ready = warp->ready + warp->first_register;
    uint64_t at = 0;
    for (int i = 0; i < OP_USES && warp->op->use[i] != NO_REGISTER; i++)
        if (ready[warp->op->use[i]] > at) {
            at = ready[warp->op->use[i]];
            *wait = warp->source[warp->first_register + warp->op->use[i]];
        }
    return at;
}

static void set_results(struct sm_warp *warp, const struct op *op, uint64_t at, uint8_t wait)
{
    for (int i = 0; i < OP_DEFS && op->def[i] != NO_REGISTER; i++) {
        warp->ready[warp->first_register + op->def[i]] = at;
        warp->source[warp->first_register + op->def[i]] = wait;
    }
}

/* ------------------------------------------------------------------------------------------- blocks */

static void start_warp(struct sm *sm, struct sm_warp *warp, const struct warp_record *record, uint64_t at)
{
    const uint32_t registers = sm->job->program->nregisters;
    memset(warp->ready, 0, registers * sizeof *warp->ready);
    warp->record = record;
    warp->place = warp->cost = 0;
    warp->op = warp->end = NULL;
    warp->time = warp->began = at;
}

static void end_warp(struct sm *sm, struct sm_warp *warp, uint64_t at);

/* The next block takes the place of one that is done. */
static void start_block(struct sm *sm, struct sm_block *block, uint64_t at)
{
    const struct gpu *gpu = sm->job->gpu;
    const struct block_record *record = sm->job->blocks[sm->started++ % sm->job->nblocks];
    const uint64_t start = later(at, sm->launcher);
    const uint64_t first = start + (sm->job->is_prompt ? 0 : (uint64_t)(gpu->block_start_cycles * TICKS));
    sm->launcher = start + sm->block_interval;
    block->nwarps = block->live = record->nwarps;
    block->arrived = 0;
    block->last_arrival = 0;
    sm->run->waits[WAIT_START] += (double)(first - at) * record->nwarps;
    for (uint32_t w = 0; w < record->nwarps; w++) {
        start_warp(sm, &sm->warps[block->first_warp + w], &record->warps[w], first);
        push(sm, (uint16_t)(block->first_warp + w));
    }
}

/* Everybody who still runs has come to the barrier. */
static void pass_barrier(struct sm *sm, struct sm_block *block)
{
    const uint64_t on = block->last_arrival + sm->latency[OP_BARRIER];
    for (uint32_t w = block->first_warp; w < block->first_warp + block->nwarps; w++) {
        struct sm_warp *warp = &sm->warps[w];
        if (!warp->record || warp->time != UINT64_MAX)
            continue;
        warp->time = on;
        push(sm, (uint16_t)w);
    }
    block->arrived = 0;
    block->last_arrival = 0;
}

static void finish_block(struct sm *sm, struct sm_block *block, uint64_t at)
{
    sm->run->done[sm->finished++] = at;
    if (sm->started < sm->job->total)
        start_block(sm, block, at);
}

static void end_warp(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    struct sm_block *block = &sm->blocks[warp->block];
    sm->run->warp_clocks += (double)(at - warp->began);
    warp->record = NULL;
    if (--block->live == 0)
        finish_block(sm, block, at);
    else if (block->arrived == block->live)
        pass_barrier(sm, block);
}

/* ------------------------------------------------------------------------------------------- the step */

static void arrive(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    struct sm_block *block = &sm->blocks[warp->block];
    const uint64_t counting = (uint64_t)ARRIVAL_CLOCKS * TICKS;
    block->arrived++;
    block->last_arrival = later(block->last_arrival, take_shared(sm, SM_BARRIER, at, counting) + counting);
    warp->time = UINT64_MAX; /* until all have come */
    if (block->arrived == block->live)
        pass_barrier(sm, block);
}

/* Issues the operation at a time when its operands are there; gives the time at which its result is. */
static uint64_t issue(struct sm *sm, struct sm_warp *warp, const struct op *op, uint64_t *at)
{
    const enum sm_resource resource = classes[op->class].unit;
    const uint64_t slots = (uint64_t)op->count * TICKS;
    struct unit *slot = &sm->parted[SM_ISSUE][warp->part];
    const uint64_t issued = take(sm, slot, SM_ISSUE, *at, slots);
    sm->run->issued += op->count;
    const uint64_t last = warp->last;
    warp->last = issued;
    if (op->class >= OP_GLOBAL) {
        *at = issued;
        return access_memory(sm, warp, issued, op);
    }
    uint64_t start = issued;
    if (resource != SM_ISSUE) {
        struct unit *unit = resource < SM_PARTED ? &sm->parted[resource][warp->part] : &sm->units[resource];
        const bool is_switch = op->class == OP_FP32 && issued > last + (uint64_t)TICKS;
        start = take(sm, unit, resource, issued,
                     op->count * sm->interval[op->class] + (is_switch ? sm->switch_cost : 0));
    }
    *at = start;
    return start + (op->chain ? op->chain : 1) * sm->latency[op->class];
}

static void step(struct sm *sm)
{
    const uint16_t number = sm->heap[0];
    struct sm_warp *warp = &sm->warps[number];
    skip_others(warp);
    if (warp->op == warp->end && !next_segment(sm, warp)) {
        drop_first(sm);
        end_warp(sm, warp, warp->time);
        return;
    }
    skip_others(warp);
    if (warp->op == warp->end)
        return; /* nothing but free instructions: the next step goes on */
    const struct op *op = warp->op;
    uint8_t wait = WAIT_ALU;
    const uint64_t ready = operands_ready(warp, &wait);
    if (ready > warp->time) {
        sm->run->waits[wait] += (double)(ready - warp->time);
        warp->time = ready;
        sift_down(sm, 0);
        return;
    }
    uint64_t at = warp->time;
    const uint64_t result = issue(sm, warp, op, &at);
    sm->run->waits[WAIT_UNIT] += (double)(at - warp->time);
    set_results(warp, op, result, classes[op->class].wait);
    warp->op++;
    if (op->class == OP_BARRIER) {
        drop_first(sm);
        arrive(sm, warp, at);
        return;
    }
    warp->time =
        at + (op->class == OP_BRANCH ? (uint64_t)BRANCH_CLOCKS * TICKS : (uint64_t)op->count * TICKS);
    sift_down(sm, 0);
}

/* Named barriers of some warps look like barriers of all here; if nobody can go on, all may. */
static bool release_all(struct sm *sm)
{
    bool is_released = false;
    for (uint32_t b = 0; b < sm->job->resident; b++)
        if (sm->blocks[b].arrived) {
            pass_barrier(sm, &sm->blocks[b]);
            is_released = true;
        }
    return is_released;
}

/* ------------------------------------------------------------------------------------------- the whole */

static bool make_places(struct sm *sm, uint32_t warps_per_block)
{
    const uint32_t registers = sm->job->program->nregisters + 1, parts = parts_of(sm->job->gpu);
    const uint32_t nwarps = sm->job->resident * warps_per_block;
    sm->blocks = calloc(sm->job->resident, sizeof *sm->blocks);
    sm->warps = calloc(nwarps, sizeof *sm->warps);
    uint64_t *ready = calloc((size_t)nwarps * registers, sizeof *ready);
    uint8_t *source = calloc((size_t)nwarps * registers, sizeof *source);
    if (!sm->blocks || !sm->warps || !ready || !source) {
        free(ready);
        free(source);
        return false;
    }
    sm->nwarps = nwarps;
    for (uint32_t w = 0; w < nwarps; w++)
        sm->warps[w] = (struct sm_warp){.ready = ready + (size_t)w * registers,
                                        .source = source + (size_t)w * registers,
                                        .block = w / warps_per_block,
                                        .part = w % parts};
    for (uint32_t b = 0; b < sm->job->resident; b++)
        sm->blocks[b].first_warp = b * warps_per_block;
    return true;
}

static void free_places(struct sm *sm)
{
    if (sm->warps) {
        free(sm->warps[0].ready);
        free(sm->warps[0].source);
    }
    free(sm->warps);
    free(sm->blocks);
}

static void collect(struct sm *sm)
{
    struct sm_run *run = sm->run;
    const uint32_t parts = parts_of(sm->job->gpu);
    const uint64_t end = run->done[sm->job->total - 1];
    const double all = end ? (double)end : 1;
    for (int r = 0; r < SM_RESOURCES; r++) {
        double busy = (double)sm->units[r].busy;
        for (uint32_t p = 0; r < SM_PARTED && p < parts; p++)
            busy += (double)sm->parted[r][p].busy / parts;
        run->busy[r] = busy / all;
    }
    for (int w = 0; w < SM_WAITS; w++)
        run->waits[w] /= TICKS;
    run->warp_clocks /= TICKS;
    for (uint32_t b = 0; b < sm->job->total; b++)
        run->done[b] = (run->done[b] + TICKS - 1) / TICKS;
}

bool sm_simulate(struct sm_run *run, const struct sm_job *job)
{
    struct sm sm = {.job = job, .run = run};
    memset(run, 0, sizeof *run);
    run->done = calloc(job->total, sizeof *run->done);
    if (!run->done || !make_places(&sm, job->blocks[0]->nwarps)) {
        free_places(&sm);
        sm_run_free(run);
        return false;
    }
    set_class_rates(&sm);
    set_memory_rates(&sm);
    for (uint32_t b = 0; b < job->resident && sm.started < job->total; b++)
        start_block(&sm, &sm.blocks[b], 0);
    while (sm.finished < job->total) {
        if (sm.nheap)
            step(&sm);
        else if (!release_all(&sm))
            break;
    }
    collect(&sm);
    free_places(&sm);
    return true;
}

void sm_run_free(struct sm_run *run)
{
    free(run->done);
    run->done = NULL;
}
