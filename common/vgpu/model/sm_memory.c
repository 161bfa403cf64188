/* sm_memory.c - what an access costs on the simulated SM: passes through L1 and shared memory, sectors from L2 and DRAM.
 * Memory is a row of servers: L1's pipe, and the SM's share of L2 and of DRAM. L1 keeps lines as the warps of the SM ask
 * for them, in simulated time; what L2 misses is given as a part of all sectors, and spread evenly over them.
 * The constants here were measured on an H200 (bench/micro), or chosen so that the kernels of bench/h200 come out; they
 * hold for all GPUs until somebody measures another. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/sm_internal.h"

enum {
    SECTOR = 32,
    L1_WAYS = 8,
    MISS_CLOCKS = 3, /* that a request keeps L1's tags if it does not find all */
    L2_WAYS = 16,
    SEEN_BITS = 16,
    STORE_QUEUE = 1024, /* clocks of work that may wait at L2 before stores block the SM's memory pipe */
    DRAM_SECTORS = 2,   /* DRAM gives 64 bytes at least */
    SPREAD_CLOCKS = 90, /* that twice as many lines without a pattern take longer to come from DRAM */
    MERGE_SECTORS =
        16, /* of a store that goes to L2 with the one before: a structure's four words, of 32 lanes */
    EVICTION_SECTORS =
        10,             /* what L2 loses, in reads, when a part of a sector had to make room for the other */
    SPIN_CLOCKS = 95,   /* of a round of a compare-and-swap loop on shared memory, if one warp tries */
    SPIN_WIDE = 26,     /* more of one on words of 8 bytes */
    SPIN_OTHERS = 9,    /* so many warps that try as well make a round shorter */
    SPIN_SOONER = 16,   /* each by this part */
    SPIN_SLOTS = 5,     /* instructions of a round */
    SPIN_PASSES = 2,    /* of its compare-and-swap */
    TEXTURE_CLOCKS = 8, /* of a warp's texture fetch */
    CONST_CLOCKS = 2    /* of a word of constant memory */
};
/* A sector that is written in part costs a bit more than a whole one, unless its whole line is. */
#define PARTIAL_COST 1.25
/* A read waits so long where a busy DRAM does nothing but write. */
#define TURN_CLOCKS 1600
/* On a busy DRAM a read takes so much longer. */
#define CROWD 0.6
/* A lone sector here and there costs DRAM so many: 64 bytes at least, and a row of its own. */
#define SCATTER 3.3
/* From a turn with floats to the next one of the same sector, in turns: atomics.one.float of bench/micro. */
#define FLOAT_TURNS 2.4
/* A turn that changes all words of its sector, in turns: lanes side by side, against 1, 2 or 4 of its words. */
#define WHOLE_TURN 0.82
/* A slice needs so long for what a request wants of one unit, in turns: without the old values, and with them. Additions at
 * random places of 8 KB to 16 MB. */
#define UNIT_TURNS     1.45
#define UNIT_TURNS_OLD 1.8
/* Reads and writes in turn cost DRAM this part of its rate. */
#define TURN_LOSS 0.07
/* Places without a pattern cost it this part: param.dram.random of bench/micro. */
#define RANDOM_LOSS 0.35

/* ------------------------------------------------------------------------------------------- rates */

/* An SM gets its fair share of what all draw from, and never more than its own port lets through. */
static void set_rates(struct sm *sm)
{
    const struct sm_job *job = sm->job;
    const struct gpu *gpu = job->gpu;
    const double clock = gpu->clock_mhz * 1e6, sms = job->sms, port = gpu->l2_bytes_per_clock_sm;
    const double mix = 4 * job->write_share * (1 - job->write_share);
    const double scattered = 1 + job->scatter * (gpu->dram_gbs / gpu->dram_scattered_gbs - 1);
    const double dram = gpu->dram_gbs * (1 - TURN_LOSS * mix) * (1 - RANDOM_LOSS * job->random) / scattered;
    sm->l1_pass = sm_ticks(128, gpu->l1_bytes_per_clock);
    sm->l2_read = sm_ticks(SECTOR, smaller_of(gpu->l2_gbs * 1e9 / clock / sms, port));
    sm->l2_write = sm_ticks(SECTOR, smaller_of(gpu->l2_write_gbs * 1e9 / clock / sms, port));
    sm->dram_sector = sm_ticks(SECTOR, smaller_of(dram * 1e9 / clock / sms, port));
    const double turn = gpu->atomic_cycles * sms * TICKS;
    sm->turn = (uint64_t)(turn * job->hot_slice);
    sm->float_turn = (uint64_t)(turn * FLOAT_TURNS * job->hot_sector);
    sm->l1_clock = sm->shared_clock = sm->const_clock = sm->texture_clock = TICKS;
}

static void leave(uint64_t *ticks, double part)
{
    *ticks = (uint64_t)((double)*ticks * part);
}

/* Accesses of a kernel that were changed. */
static void change_rates(struct sm *sm, const double *left)
{
    leave(&sm->l1_pass, left[SM_L1]);
    leave(&sm->l1_clock, left[SM_L1]);
    leave(&sm->shared_clock, left[SM_SHARED]);
    leave(&sm->const_clock, left[SM_CONST]);
    leave(&sm->texture_clock, left[SM_TEXTURE]);
    leave(&sm->l2_read, left[SM_L2]);
    leave(&sm->l2_write, left[SM_L2]);
    leave(&sm->dram_sector, left[SM_DRAM]);
    leave(&sm->turn, left[SM_ATOMIC]);
    leave(&sm->float_turn, left[SM_ATOMIC]);
}

bool sm_memory_begin(struct sm *sm)
{
    set_rates(sm);
    if (sm->job->change)
        change_rates(sm, sm->job->change->left);
    sm->l1_sets = sm->job->l1_bytes / (L1_WAYS * 128);
    const uint64_t share = sm->job->gpu->l2_bytes / sm->job->sms;
    sm->l2_sets = (uint32_t)(share / (128 * L2_WAYS)) + 1;
    sm->l1 = calloc((size_t)sm->l1_sets * L1_WAYS, sizeof *sm->l1);
    sm->l2 = calloc((size_t)sm->l2_sets * L2_WAYS, sizeof *sm->l2);
    sm->seen = calloc((size_t)1 << SEEN_BITS, sizeof *sm->seen);
    return sm->l1 && sm->l2 && sm->seen;
}

void sm_memory_end(struct sm *sm)
{
    free(sm->l1);
    free(sm->l2);
    free(sm->seen);
}

static uint64_t take_shared(struct sm *sm, enum sm_resource resource, uint64_t at, uint64_t duration)
{
    return sm_take(sm, &sm->units[resource], resource, at, duration);
}

/* The pipe that an access goes through first: its warp may be some accesses ahead of it, but not many. */
static uint64_t take_pipe(struct sm *sm, enum sm_resource resource, uint64_t at, uint64_t duration)
{
    sm->served = take_shared(sm, resource, at, duration);
    return sm->served;
}

static uint64_t latency(const struct sm *sm, double clocks)
{
    const uint32_t overlap = sm->job->change ? sm->job->change->memory_overlap : 1;
    return sm->job->is_prompt ? TICKS : (uint64_t)(clocks * TICKS) / overlap;
}

/* Parts of sectors add up; when there are whole ones, they are due now. */
static uint64_t deal(uint64_t *credit)
{
    const uint64_t whole = *credit / TICKS;
    *credit %= TICKS;
    return whole;
}

static void owe(uint64_t *credit, double sectors)
{
    *credit += (uint64_t)(sectors * TICKS);
}

/* ------------------------------------------------------------------------------------------- L2 and DRAM */

/* Requests get into each other's way on a busy DRAM; and it collects writes and does many at a time, for which reads
 * wait. */
static uint64_t dram_latency(const struct sm *sm, uint64_t at)
{
    const double busy = at ? smaller_of((double)sm->units[SM_DRAM].busy / (double)at, 1) : 0;
    const double crowd = 1 + CROWD * busy * busy;
    return latency(sm, sm->job->gpu->dram_latency * crowd + TURN_CLOCKS * sm->job->write_share * busy);
}

/* Of many lines without a pattern, the last one comes late. */
static uint64_t spread_latency(const struct sm *sm, double lines)
{
    uint32_t doublings = 0;
    while (lines > 1 && doublings < 5) {
        lines /= 2;
        doublings++;
    }
    return latency(sm, SPREAD_CLOCKS * doublings * sm->job->random);
}

/* Sectors come from L2, and those that are due from DRAM; gives the time at which the last is there. A lone sector brings
 * its neighbour along. */
static uint64_t fetch(struct sm *sm, uint64_t at, double sectors, double lines)
{
    const struct gpu *gpu = sm->job->gpu;
    const uint64_t passing =
        (uint64_t)(larger_of(sectors, lines * gpu->l2_lone_sectors) * (double)sm->l2_read);
    uint64_t there = take_shared(sm, SM_L2, at, passing) + passing + latency(sm, gpu->l2_latency);
    const double limit = larger_of(sectors, smaller_of(DRAM_SECTORS * sectors, 4 * lines)) * TICKS;
    uint64_t due = (double)sm->read_credit < limit ? sm->read_credit : (uint64_t)limit;
    sm->read_credit -= due;
    const uint64_t whole = deal(&due);
    sm->read_credit += due;
    const uint64_t missing = whole * sm->dram_sector;
    if (missing)
        there = later(there, take_shared(sm, SM_DRAM, at, missing) + missing + dram_latency(sm, at) +
                                 spread_latency(sm, lines));
    return there;
}

/* Nobody waits for what is only written, but the SM's memory pipe stops when too much of it is under way. */
static void hold_pipe(struct sm *sm, uint64_t at, uint64_t queue)
{
    struct unit *pipe = &sm->units[SM_L1];
    if (queue > at + (uint64_t)STORE_QUEUE * TICKS)
        pipe->free = later(pipe->free, queue - (uint64_t)STORE_QUEUE * TICKS);
}

/* The part of an access's sectors that L2 does not keep. */
static void write_dram(struct sm *sm, uint64_t at, const struct access_cost *cost, double part)
{
    const double lines = cost->sectors ? (double)cost->lines * cost->l2_writes / cost->sectors : 0;
    owe(&sm->write_credit, larger_of(cost->l2_writes, DRAM_SECTORS * lines) * part);
    const uint64_t written = deal(&sm->write_credit);
    if (written)
        take_shared(sm, SM_DRAM, at, written * sm->dram_sector);
    hold_pipe(sm, at, later(sm->units[SM_L2].free, sm->units[SM_DRAM].free));
}

/* Sectors go to L2. */
static void write_l2(struct sm *sm, uint64_t at, const struct access_cost *cost)
{
    const double lines = cost->sectors ? (double)cost->lines * cost->l2_writes / cost->sectors : 0;
    const bool is_partial = cost->bytes < cost->l2_writes * SECTOR && cost->l2_writes < 4 * lines;
    const double partial = is_partial ? PARTIAL_COST : 1;
    const double sectors = larger_of(cost->l2_writes, lines * sm->job->gpu->l2_lone_writes) * partial;
    const uint64_t each = cost->addresses ? sm->l2_read : sm->l2_write;
    take_shared(sm, SM_L2, at, (uint64_t)(sectors * (double)each));
}

/* ------------------------------------------------------------------------------------------- the share of L2 */

static uint32_t hash_of(uint32_t line)
{
    return hash_word32(line ^ line >> 11);
}

/* Which of the sectors have been in L2 before; they have now. */
static uint32_t note_seen(struct sm *sm, uint32_t line, uint32_t sectors)
{
    const uint32_t mask = (1u << SEEN_BITS) - 1;
    uint32_t at = hash_of(line) >> (32 - SEEN_BITS);
    while (sm->seen[at].line && sm->seen[at].line != line)
        at = (at + 1) & mask;
    if (!sm->seen[at].line) {
        if (sm->nseen > mask / 2)
            return 0; /* no more are remembered */
        sm->nseen++;
        sm->seen[at].line = line;
    }
    const uint32_t before = sectors & sm->seen[at].sectors;
    sm->seen[at].sectors |= (uint8_t)sectors;
    return before;
}

/* Sectors that come again. Those of a line together cost no more than they did the first time; lone ones do. */
struct again {
    uint32_t together, lone;
};

/* Sectors that were in L2 and had to make room since: what all SMs keep under way is more than L2 holds. */
static void come_again(struct sm *sm, uint32_t line, uint32_t sectors, struct again *again)
{
    enum { TOGETHER = 3 };
    if (sm->job->fits_l2)
        return;
    struct l2_line *set = sm->l2 + (size_t)(((uint64_t)hash_of(line) * sm->l2_sets) >> 32) * L2_WAYS;
    uint32_t way = 0;
    while (way < L2_WAYS - 1 && set[way].line != line)
        way++;
    struct l2_line found = set[way];
    if (found.line != line)
        found = (struct l2_line){.line = line};
    const uint32_t missing = sectors & ~(uint32_t)found.sectors;
    found.sectors |= (uint8_t)sectors;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = found;
    const uint32_t count = (uint32_t)__builtin_popcount(note_seen(sm, line, sectors) & missing);
    *(count >= TOGETHER ? &again->together : &again->lone) += count;
}

/* They go through L2 once more on their way from DRAM, which gives 64 bytes of a line at least. */
static void read_evicted(struct sm *sm, uint64_t at, const struct again *again)
{
    owe(&sm->read_credit, again->together + DRAM_SECTORS * (double)again->lone);
    take_shared(sm, SM_L2, at, (again->together + (uint64_t)again->lone) * sm->l2_read);
}

/* Lines that L2 had to write back before they were whole are read, changed and written once more. */
static void write_evicted(struct sm *sm, uint64_t at, const struct again *again)
{
    const double scatter =
        SCATTER * (1 - RANDOM_LOSS * sm->job->random); /* if all is random, the rate knows it */
    owe(&sm->write_credit, 2 * (again->together + scatter * again->lone));
    take_shared(sm, SM_L2, at, (again->together + (uint64_t)again->lone * EVICTION_SECTORS) * sm->l2_read);
}

/* Blocks that use a record again work on other data, except on what all blocks use. */
static uint32_t line_of(const struct sm_warp *warp, uint32_t entry)
{
    const uint32_t line = entry >> LINE_SHIFT;
    return (entry & LINE_SHARED ? line : line + warp->round * 0x01234567u) |
           0x80000000u; /* 0: an empty place */
}

/* ------------------------------------------------------------------------------------------- L1 */

/* Lines in a row, and lines that a power of two lies between, spread evenly over the sets: the number as a polynomial of
 * bits, modulo one of degree 11 that has no factors. */
static uint32_t set_of(const struct sm *sm, uint32_t line)
{
    enum { DEGREE = 11, MASK = (1 << DEGREE) - 1, STEP = 1265 /* MASK times the golden ratio */ };
    while (line > MASK)
        line = (line & MASK) ^ line >> DEGREE ^ line >> DEGREE << 2; /* x^11 = x^2 + 1 */
    return (line * STEP & MASK) * sm->l1_sets >> DEGREE;
}

/* The line's place in its set, moved to the front; the one used longest ago makes room. */
static struct l1_line *look_up(struct sm *sm, uint32_t line)
{
    struct l1_line *set = sm->l1 + (size_t)set_of(sm, line) * L1_WAYS;
    uint32_t way = 0;
    while (way < L1_WAYS - 1 && set[way].line != line)
        way++;
    struct l1_line found = set[way];
    if (found.line != line)
        found = (struct l1_line){.line = line};
    memmove(set + 1, set, way * sizeof *set);
    set[0] = found;
    return set;
}

/* The request waits for L1's tags, and keeps them so long; gives how long it waited. */
static uint64_t look_through(struct sm *sm, uint64_t at, uint32_t clocks)
{
    const uint64_t late = sm->job->without >> SM_L1 & 1 || sm->tags.free <= at ? 0 : sm->tags.free - at;
    sm->tags.free = at + late + clocks * sm->l1_clock;
    sm->tags.busy += clocks * sm->l1_clock;
    sm->served += late;
    return late;
}

/* A load that L1 may keep; gives the time at which all of it is there. */
static uint64_t load_cached(struct sm *sm, const struct sm_warp *warp, uint64_t at,
                            const struct access_cost *cost)
{
    const uint32_t *entries = warp->record->lines + cost->first_line;
    uint64_t there = at + sm->latency[OP_GLOBAL];
    uint32_t sectors = 0, lines = 0;
    struct again again = {0, 0};
    struct l1_line *missed[LANES];
    for (uint32_t i = 0; i < cost->lines; i++) {
        struct l1_line *line = look_up(sm, line_of(warp, entries[i]));
        const uint32_t missing = entries[i] & LINE_SECTORS_MASK & ~(uint32_t)line->sectors;
        sm->run->looked_up += (uint32_t)__builtin_popcount(entries[i] & LINE_SECTORS_MASK);
        there = later(there, line->ready);
        if (!missing)
            continue;
        line->sectors |= (uint8_t)missing;
        if (!(entries[i] & LINE_SHARED))
            come_again(sm, line->line, missing, &again);
        sectors += (uint32_t)__builtin_popcount(missing);
        missed[lines++] = line;
    }
    sm->run->missed += sectors;
    const uint64_t late = look_through(sm, at, lines ? 1 + MISS_CLOCKS : 1);
    at += late;
    there += late;
    if (!lines)
        return there;
    read_evicted(sm, at, &again);
    take_shared(sm, SM_L1, at, (sectors + 3) / 4 * sm->l1_pass); /* what comes is written into L1 */
    const uint64_t fetched = fetch(sm, at, sectors, lines);
    for (uint32_t i = 0; i < lines; i++)
        missed[i]->ready = fetched; /* a line that made room for another of this request is no worse off */
    return later(there, fetched);
}

/* ------------------------------------------------------------------------------------------- accesses */

static void write_again(struct sm *sm, const struct sm_warp *warp, uint64_t at,
                        const struct access_cost *cost)
{
    const uint32_t *entries = warp->record->lines + cost->first_line;
    struct again again = {0, 0};
    for (uint32_t i = 0; i < cost->lines; i++)
        if (!(entries[i] & LINE_SHARED))
            come_again(sm, line_of(warp, entries[i]), entries[i] & LINE_SECTORS_MASK, &again);
    write_evicted(sm, at, &again);
}

/* A slice takes a request's units one by one. It needs a turn for each sector, and more where lanes mean the same word. */
static double slice_turns(const struct op *op, const struct access_cost *cost)
{
    const double turns = cost->turns * (cost->bytes == cost->turns * SECTOR ? WHOLE_TURN : 1);
    const double each = op->def[0] == NO_REGISTER ? UNIT_TURNS : UNIT_TURNS_OLD;
    return cost->units > 1 ? larger_of(turns, each * cost->units) : turns;
}

/* The hottest slice, or the hottest sector, serves all SMs; gives the time at which this request is done. */
static uint64_t queue_atomic(struct sm *sm, uint64_t at, const struct op *op, const struct access_cost *cost)
{
    const double turns = op->is_aggregated ? cost->addresses : slice_turns(op, cost);
    const double in_sector = op->is_float ? cost->turns : 0;
    const uint64_t passing =
        (uint64_t)larger_of(turns * (double)sm->turn, in_sector * (double)sm->float_turn);
    const uint64_t done = take_shared(sm, SM_ATOMIC, at, passing) + passing;
    hold_pipe(sm, at, sm->units[SM_ATOMIC].free);
    return done;
}

/* A pass takes a clock; what is brought to the registers, as long as L1 needs for so many bytes. */
static uint64_t l1_passing(const struct sm *sm, const struct access_cost *cost)
{
    const uint32_t passes = cost->passes ? cost->passes : 1;
    return later(passes * sm->l1_clock, cost->bytes * sm->l1_pass / 128);
}

/* Of a warp's stores to the same few lines one after the other, as of the elements of a small structure, every second goes
 * to L2 with the one before. */
static bool goes_along(struct sm_warp *warp, const struct access_cost *cost)
{
    const uint32_t *lines = warp->record->lines, now = cost->first_line, before = warp->stored.first_line;
    const bool is_kept = cost->has_lines && !cost->is_cached;
    bool goes = is_kept && warp->stored.lines == cost->lines && cost->sectors <= MERGE_SECTORS &&
                !warp->stored.went_along;
    for (uint32_t i = 0; goes && i < cost->lines; i++)
        goes = lines[now + i] >> LINE_SHIFT == lines[before + i] >> LINE_SHIFT;
    if (is_kept) {
        warp->stored.first_line = cost->first_line;
        warp->stored.lines = cost->lines;
        warp->stored.went_along = goes;
    }
    return goes;
}

static uint64_t access_global(struct sm *sm, struct sm_warp *warp, uint64_t at, const struct op *op,
                              const struct access_cost *cost)
{
    const uint64_t passing = l1_passing(sm, cost);
    uint64_t start = take_pipe(sm, SM_L1, at, passing) + passing;
    if (cost->addresses)
        start = queue_atomic(sm, start, op, cost);
    if (cost->l2_writes && !goes_along(warp, cost))
        write_l2(sm, start, cost);
    if (cost->l2_writes)
        write_dram(sm, start, cost, sm->job->dram_writes * (1 + sm->job->fills));
    if (cost->has_lines && !cost->is_cached)
        write_again(sm, warp, start, cost);
    if (op->def[0] == NO_REGISTER)
        return start;
    if (cost->addresses)
        return start + latency(sm, sm->job->gpu->l2_latency);
    owe(&sm->read_credit, cost->l2_reads * sm->job->dram_reads);
    if (cost->is_cached)
        return load_cached(sm, warp, start, cost);
    sm->run->looked_up += cost->l2_reads;
    sm->run->missed += cost->l2_reads;
    return cost->l2_reads ? fetch(sm, start, cost->l2_reads, cost->lines) : start + sm->latency[OP_GLOBAL];
}

static uint64_t shared_passes(const struct sm *sm, const struct op *op, const struct access_cost *cost)
{
    if (op->is_aggregated)
        return 1;
    const uint32_t words = cost->bytes / (4u * cost->lanes);
    return sm->job->gpu->shared_packs ? cost->wavefronts : larger_of(words, cost->wavefronts);
}

/* Shared memory and L1 are one memory with one pipe, or two with a pipe each; gives the time at which it begins. */
static uint64_t take_shared_pipe(struct sm *sm, uint64_t at, uint64_t passing)
{
    const bool is_apart = sm->job->gpu->l1_apart;
    const uint64_t start = sm->served = later(at, sm->units[is_apart ? SM_SHARED : SM_L1].free);
    take_shared(sm, SM_SHARED, start, passing);
    if (!is_apart && !(sm->job->without >> SM_SHARED & 1))
        sm->units[SM_L1].free = start + passing;
    return start;
}

/* Until when the block's warps change the word; the place of the word that is free the longest is used again. */
static uint64_t *find_spin(struct sm_block *block, uint32_t word)
{
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < SM_SPINS; i++) {
        if (block->spins[i].word == word)
            return &block->spins[i].free;
        oldest = block->spins[i].free < block->spins[oldest].free ? i : oldest;
    }
    block->spins[oldest].word = word;
    block->spins[oldest].free = 0;
    return &block->spins[oldest].free;
}

/* Load, compute, compare-and-swap, and again: in a round one lane of those on a bank succeeds, of all warps of the block one
 * of those on a word. Who waits tries as well, and the more do, the sooner one succeeds. */
struct spin {
    uint64_t clocks;  /* of all rounds */
    uint64_t slots;   /* instructions */
    uint64_t passing; /* through the pipe of shared memory */
};

static struct spin make_spin(const struct sm_block *block, const struct op *op,
                             const struct access_cost *cost, uint64_t wait)
{
    const uint32_t words = larger_of(cost->bytes / (4u * cost->lanes), 1u);
    const uint32_t lanes = op->is_aggregated ? 1 : cost->wavefronts / words;   /* on a bank */
    const uint32_t same = op->is_aggregated || !cost->turns ? 1 : cost->turns; /* on a word */
    const uint32_t rounds = larger_of(lanes, same);
    const uint64_t alone = rounds * (SPIN_CLOCKS + (words > 1 ? SPIN_WIDE : 0)) * (uint64_t)TICKS;
    const uint32_t others = (uint32_t)smaller_of(2 * wait / alone, block->live - 1u);
    const double tries = rounds * (1 + others / 2.0);
    const double loads = (1 + (double)lanes / same) / 2; /* lanes that are done load no more */
    return (struct spin){
        .clocks = alone - alone * smaller_of(others, (uint32_t)SPIN_OTHERS) / SPIN_SOONER,
        .slots = (uint64_t)((tries * SPIN_SLOTS - 1) * TICKS),
        .passing = (uint64_t)(tries * (SPIN_PASSES + larger_of(loads, 1)) * (1 + words) / 2 * TICKS)};
}

/* The warp goes on when all its lanes have succeeded. */
static uint64_t spin_shared(struct sm *sm, struct sm_warp *warp, uint64_t at, const struct op *op,
                            const struct access_cost *cost)
{
    struct sm_block *block = &sm->blocks[warp->block];
    uint64_t *free = find_spin(block, cost->address + 1);
    const struct spin spin = make_spin(block, op, cost, *free > at ? *free - at : 0);
    const uint64_t passing = spin.passing * sm->shared_clock / TICKS;
    sm_take(sm, &sm->parted[SM_ISSUE][warp->part], SM_ISSUE, at, spin.slots);
    const uint64_t start = take_shared_pipe(sm, at, passing);
    const uint64_t clocks = sm->job->is_prompt ? TICKS : spin.clocks * sm->shared_clock / TICKS;
    sm->held = *free = later(start + passing, later(start, *free) + clocks);
    return sm->held;
}

static uint64_t access_shared(struct sm *sm, struct sm_warp *warp, uint64_t at, const struct op *op,
                              const struct access_cost *cost)
{
    if (op->is_loop)
        return spin_shared(sm, warp, at, op, cost);
    const uint64_t passing = shared_passes(sm, op, cost) * sm->shared_clock;
    return take_shared_pipe(sm, at, passing) + passing + sm->latency[OP_SHARED];
}

/* Local memory is the threads' own. Stores go through to L2; what of loads L1 and L2 do not keep follows from how much
 * there is of it. */
static uint64_t store_local(struct sm *sm, uint64_t at, uint32_t sectors)
{
    /* lanes that mean different places of their arrays are lines apart; of short arrays, many mean the same */
    const uint32_t words = smaller_of(sm->job->local_words, 32u);
    const uint32_t lines = sectors > 4 ? smaller_of(sectors, words * words / 10 + 1) : 1;
    const struct access_cost cost = {.sectors = (uint16_t)sectors,
                                     .l2_writes = (uint16_t)sectors,
                                     .lines = (uint8_t)lines,
                                     .bytes = (uint16_t)(sectors * SECTOR)};
    const uint64_t passing = (uint64_t)(sectors + 3) / 4 * sm->l1_clock;
    const uint64_t start = take_pipe(sm, SM_L1, at, passing) + passing;
    write_l2(sm, start, &cost);
    write_dram(sm, start, &cost, sm->job->local_dram);
    return start;
}

static uint64_t load_local(struct sm *sm, uint64_t at, uint32_t sectors)
{
    const uint64_t passing = (uint64_t)(sectors + 3) / 4 * sm->l1_clock;
    const uint64_t start = take_pipe(sm, SM_L1, at, passing) + passing;
    owe(&sm->local_credit, sectors * sm->job->local_misses);
    const uint64_t missed = deal(&sm->local_credit);
    owe(&sm->read_credit, (double)missed * sm->job->local_dram);
    return missed ? fetch(sm, start, (double)missed, (double)missed / 4) : start + sm->latency[OP_LOCAL];
}

static uint64_t access_other(struct sm *sm, uint64_t at, const struct op *op, const struct access_cost *cost)
{
    const bool is_const = op->class == OP_CONST;
    const uint64_t passing =
        is_const ? cost->sectors * CONST_CLOCKS * sm->const_clock : TEXTURE_CLOCKS * sm->texture_clock;
    const uint64_t start = take_pipe(sm, is_const ? SM_CONST : SM_TEXTURE, at, passing) + passing;
    owe(&sm->read_credit, cost->l2_reads * sm->job->dram_reads);
    return cost->l2_reads ? fetch(sm, start, cost->l2_reads, (double)cost->l2_reads / 4)
                          : start + sm->latency[op->class];
}

uint64_t sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, uint64_t at)
{
    const struct access_cost cost = sm_cost(warp, op);
    if (!cost.lanes) /* guarded, and no lane goes there: it is issued all the same */
        return op->class == OP_CONST ? at : take_pipe(sm, SM_L1, at, TICKS) + TICKS;
    if (cost.wavefronts) {
        const uint64_t there = access_shared(sm, warp, at, op, &cost);
        owe(&sm->read_credit, cost.l2_reads * sm->job->dram_reads);
        return cost.l2_reads ? fetch(sm, at, cost.l2_reads, (double)cost.l2_reads / 4)
                             : there; /* an asynchronous copy does both */
    }
    if (op->class == OP_LOCAL)
        return op->is_store ? store_local(sm, at, cost.sectors) : load_local(sm, at, cost.sectors);
    return op->class == OP_GLOBAL ? access_global(sm, warp, at, op, &cost) : access_other(sm, at, op, &cost);
}

/* A word of each lane. */
enum { SPILL_SECTORS = 4 };

/* So many of them are due. */
static uint32_t due(uint32_t *credit, double part)
{
    *credit += (uint32_t)(part * TICKS);
    const uint32_t whole = *credit / TICKS;
    *credit %= TICKS;
    return whole;
}

/* ptxas loads a spilled value long before its use: what a warp waits for are the queues. */
static void load_spilled(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    const uint64_t unloaded = latency(sm, sm->job->gpu->dram_latency);
    const uint64_t there = load_local(sm, at, SPILL_SECTORS);
    warp->time = later(warp->time, there > unloaded ? there - unloaded : 0);
}

void sm_spill(struct sm *sm, struct sm_warp *warp, uint64_t at)
{
    const uint32_t loads = due(&warp->spill_loads, sm->job->spill_loads),
                   stores = due(&warp->spill_stores, sm->job->spill_stores);
    sm->run->segments[warp->segment].issued += loads + stores;
    sm_take(sm, &sm->parted[SM_ISSUE][warp->part], SM_ISSUE, at, (uint64_t)(loads + stores) * TICKS);
    for (uint32_t i = 0; i < loads; i++)
        load_spilled(sm, warp, at);
    for (uint32_t i = 0; i < stores; i++)
        warp->time = later(warp->time, store_local(sm, at, SPILL_SECTORS));
}
