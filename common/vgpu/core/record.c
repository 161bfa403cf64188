/* record.c - records what a few blocks of a launch do: see core/record.h.
 * A step's cost is what its statistics grew by, and what its addresses looked like before it.
 * Nothing here changes what a program computes; a record that finds no memory is cut short. */
#include "core/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "core/access.h"
#include "core/places.h"
#include "core/warp.h"

/* ------------------------------------------------------------------------------------------- which blocks */

static uint64_t recorded_blocks(const struct launch *launch)
{
    const uint64_t most = launch->nblocks_asked < RECORD_LARGE ? RECORD_FEW : RECORD_BLOCKS;
    return smaller_of(launch->nblocks, most);
}

/* The slot of a block among the recorded ones, or -1: they lie in the middle of equal parts of the grid. */
static int slot_of(const struct launch *launch, uint64_t index)
{
    const uint64_t n = recorded_blocks(launch);
    const uint64_t slot = (uint64_t)((unsigned __int128)index * n / launch->nblocks);
    const uint64_t middle = (uint64_t)((unsigned __int128)(2 * slot + 1) * launch->nblocks / (2 * n));
    return middle == index ? (int)slot : -1;
}

static void free_block(struct block_record *record)
{
    for (uint32_t w = 0; record && w < record->nwarps; w++) {
        free(record->warps[w].places);
        free(record->warps[w].costs);
        free(record->warps[w].lines);
        free(record->warps[w].seen);
    }
    if (record) {
        pictures_free(&record->pictures);
        tape_free(record->tape);
    }
    free(record);
}

void record_launch_end(struct launch *launch)
{
    free_block(launch->longest.record);
    memset(&launch->longest, 0, sizeof launch->longest);
    for (uint32_t i = 0; i < TRAIL_BLOCKS; i++) {
        trail_free(launch->trails[i]);
        launch->trails[i] = NULL;
    }
    for (uint32_t i = 0; launch->records && i < RECORD_BLOCKS; i++)
        free_block(launch->records[i]);
    free(launch->records);
    launch->records = NULL;
}

uint32_t record_take_trails(struct launch *launch, struct trail *trails[TRAIL_BLOCKS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < TRAIL_BLOCKS; i++) {
        if (launch->trails[i])
            trails[count++] = launch->trails[i];
        launch->trails[i] = NULL;
    }
    return count;
}

/* One from the middle of the grid; where there are more, one of the others. */
static struct trail **trail_slot(struct launch *launch, int slot)
{
    const int n = (int)recorded_blocks(launch);
    const bool is_wanted = launch->trail_steps && !launch->is_trial;
    return !is_wanted                       ? NULL
           : slot == n / 2                  ? &launch->trails[0]
           : slot == n / 4 && n / 4 < n / 2 ? &launch->trails[1]
                                            : NULL;
}

void record_launch_begin(struct launch *launch)
{
    record_launch_end(launch);
    if (launch->is_recorded)
        launch->records = calloc(RECORD_BLOCKS, sizeof(struct block_record *));
}

void record_block_begin(struct block *block)
{
    struct launch *launch = block->launch;
    const int slot = launch->records ? slot_of(launch, block->index) : -1;
    for (uint32_t w = 0; w < block->nwarps; w++)
        block->warps[w].record = NULL;
    block->late = NULL;
    if (slot < 0)
        return;
    struct block_record *record = calloc(1, sizeof *record + block->nwarps * sizeof *record->warps);
    if (!record)
        return;
    record->index = block->index;
    record->nwarps = block->nwarps;
    const bool is_taped = launch->is_pictured && !launch->is_trial && (slot == 0 || launch->is_searched);
    record->tape = is_taped ? tape_new(block) : NULL;
    struct trail **trail = trail_slot(launch, slot);
    if (trail)
        *trail = trail_new(block);
    for (uint32_t w = 0; w < block->nwarps; w++) {
        record->warps[w].tape = record->tape;
        record->warps[w].trail = trail ? *trail : NULL;
        record->warps[w].pictures = launch->is_pictured ? &record->pictures : NULL;
        block->warps[w].record = &record->warps[w];
    }
    launch->records[slot] = record;
}

void record_long(struct warp *warp)
{
    struct block *block = warp->block;
    const struct launch *launch = block->launch;
    if (!launch->records || launch->is_trial || slot_of(launch, block->index) >= 0)
        return;
    if (block->late && block->late->warps[warp->index].is_late)
        return; /* it is recorded, or was: its record is full */
    if (!block->late)
        block->late = calloc(1, sizeof *block->late + block->nwarps * sizeof *block->late->warps);
    if (!block->late)
        return;
    block->late->index = block->index;
    block->late->nwarps = block->nwarps;
    warp->record = &block->late->warps[warp->index];
    warp->record->is_late = true;
}

void record_drop(struct block *block)
{
    free_block(block->late);
    block->late = NULL;
}

void record_block_end(struct block *block)
{
    struct launch *launch = block->launch;
    uint32_t longest = 0;
    for (uint32_t w = 1; w < block->nwarps; w++)
        longest = block->warps[w].clock > block->warps[longest].clock ? w : longest;
    const uint64_t clock = block->warps[longest].clock;
    struct block_record *left = block->late;
    if (clock > launch->longest.clock ||
        (clock == launch->longest.clock && block->index < launch->longest.block)) {
        left = launch->longest.record;
        launch->longest.block = block->index;
        launch->longest.warp = longest;
        launch->longest.clock = clock;
        launch->longest.record = block->late;
    }
    block->late = NULL;
    free_block(left);
}

/* ------------------------------------------------------------------------------------------- places */

/* Only when it is full: this is on the way of every instruction that is recorded. */
static bool grow(void **array, size_t *capacity, size_t size)
{
    void *grown = list_reserve(*array, capacity, *capacity + 1, size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

static bool is_followed(const struct warp_record *record)
{
    return (record->tape && !record->tape->is_over) || (record->trail && !record->trail->is_cut);
}

/* No more of this warp; a tape and a trail still follow it. */
static void cut(struct warp *warp)
{
    warp->record->is_full = true;
    if (!is_followed(warp->record))
        warp->record = NULL;
}

enum { WORD_BITS = 64 };

/* The bits of what the record has, once its beginning is over. False: no memory. */
static bool list_seen(struct warp_record *record, const struct function *kernel)
{
    record->seen = calloc(kernel->ncode / WORD_BITS + 1, sizeof *record->seen);
    for (uint32_t i = 0; record->seen && i < record->nplaces; i++) {
        const uint32_t code = place_code(record->places[i]);
        if (place_function(record->places[i]) == kernel->index)
            record->seen[code / WORD_BITS] |= 1ull << code % WORD_BITS;
    }
    return record->seen != NULL;
}

/* The kernel's code that this warp comes to only now; from there on some more is recorded. */
static bool is_first(struct warp *warp, const struct insn *insn)
{
    struct warp_record *record = warp->record;
    const struct function *kernel = warp->block->launch->kernel;
    if (warp->clock < record->first_until)
        return true;
    if (warp->frame->function != kernel || insn->kind == INSN_JOIN ||
        (!record->seen && !list_seen(record, kernel)))
        return false;
    const uint32_t code = (uint32_t)(insn - kernel->code);
    uint64_t *word = &record->seen[code / WORD_BITS];
    const bool is_new = !(*word >> code % WORD_BITS & 1);
    if (is_new)
        record->first_until = warp->clock + RECORD_FIRST;
    return is_new;
}

/* Whether the instruction is to be recorded: it is in a window, or there for the first time. */
static bool is_open(struct warp *warp, const struct insn *insn)
{
    struct warp_record *record = warp->record;
    const uint64_t clock = warp->clock;
    if (!record || record->is_full)
        return false;
    if (record->is_late)
        return true;
    if (clock < RECORD_BEGIN && !record->next_window)
        return true;
    if (!record->next_window)
        record->next_window = 2 * RECORD_BEGIN;
    while (clock >= record->next_window + RECORD_WINDOW)
        record->next_window *= 2;
    return clock >= record->next_window || is_first(warp, insn);
}

/* The lines that may have been recorded when this window ends. */
static uint32_t lines_limit(const struct warp_record *record)
{
    const int windows = record->next_window ? __builtin_ctzll(record->next_window / RECORD_BEGIN) : 0;
    return RECORD_LINES + (uint32_t)windows * WINDOW_LINES;
}

/* It has seen enough: the next one tells more of the warp. */
static void close_window(struct warp_record *record)
{
    record->next_window = record->next_window ? 2 * record->next_window : 2 * RECORD_BEGIN;
}

static void add_place(struct warp *warp, const struct function *function, const struct insn *insn)
{
    struct warp_record *record = warp->record;
    const uint32_t code = (uint32_t)(insn - function->code);
    if (record->nplaces >= (record->is_late ? RECORD_LATE : RECORD_LENGTH) || code >> PLACE_BITS ||
        function->index >> (32 - PLACE_BITS) ||
        (record->nplaces == record->places_capacity &&
         !grow((void **)&record->places, &record->places_capacity, sizeof *record->places))) {
        cut(warp);
        return;
    }
    record->places[record->nplaces++] = function->index << PLACE_BITS | code;
    if (record->seen && function == warp->block->launch->kernel)
        record->seen[code / WORD_BITS] |= 1ull << code % WORD_BITS;
}

bool record_has_row(struct warp *warp, const struct insn *insn)
{
    return is_open(warp, insn);
}

void record_place(struct warp *warp, const struct insn *insn)
{
    if (is_open(warp, insn))
        add_place(warp, warp->frame->function, insn);
}

/* ------------------------------------------------------------------------------------------- costs */

/* The lanes of the mask whose lines are the first four that it has. */
static uint32_t lanes_of_four_lines(const uint64_t *address, uint32_t mask)
{
    uint64_t lines[4];
    uint32_t nlines = 0, lanes = 0;
    EACH_ACTIVE(lane, mask)
    {
        uint32_t i = 0;
        while (i < nlines && lines[i] != address[lane] >> 7)
            i++;
        if (i == 4)
            continue;
        lines[i] = address[lane] >> 7;
        nlines += i == nlines;
        lanes |= 1u << lane;
    }
    return lanes;
}

/* L1 looks up four lines at a time, and moves a word per bank and pass. */
static uint32_t word_passes(const uint64_t *address, uint32_t mask)
{
    uint32_t offset[LANES], passes = 0;
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)address[i];
    while (mask) {
        const uint32_t lanes = lanes_of_four_lines(address, mask);
        uint32_t group[LANES];
        memcpy(group, offset, sizeof group);
        fill_offsets(group, lanes);
        passes += bank_wavefronts(group, lanes, 4);
        mask &= ~lanes;
    }
    return passes;
}

static uint32_t l1_passes(const uint64_t *address, uint32_t mask, uint32_t bytes, uint32_t lines)
{
    uint32_t offset[LANES];
    if (bytes <= 4)
        return word_passes(address, mask);
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)address[i];
    const uint32_t by_banks = bank_wavefronts(offset, mask, bytes), by_tags = (lines + 3) / 4;
    return by_banks > by_tags ? by_banks : by_tags;
}

/* Lines and passes of lanes that are side by side, or all at one place: the common cases. */
static bool look_at_shape(struct access_cost *cost, enum access_shape shape, uint64_t first, uint32_t bytes)
{
    const uint64_t last = first + (uint64_t)bytes * (shape == ACCESS_CONTIGUOUS ? LANES : 1) - 1;
    if (shape == ACCESS_SCATTERED)
        return false;
    cost->lines = (uint8_t)((last >> 7) - (first >> 7) + 1);
    cost->passes = (uint8_t)(shape == ACCESS_UNIFORM || bytes <= 4 ? 1 : bytes / 4);
    return true;
}

/* How many lanes before each one mean its word; the most of them, and the lane itself. */
static uint32_t rank_lanes(const uint64_t *address, uint32_t mask, uint8_t *rank)
{
    enum { SLOT_BITS = 6, SLOTS = 1 << SLOT_BITS };
    uint64_t word[SLOTS];
    uint8_t count[SLOTS] = {0};
    uint32_t most = 0;
    EACH_ACTIVE(lane, mask)
    {
        uint32_t slot = (uint32_t)(address[lane] * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS));
        while (count[slot] && word[slot] != address[lane])
            slot = (slot + 1) % SLOTS;
        word[slot] = address[lane];
        rank[lane] = count[slot]++;
        most = larger_of(most, count[slot]);
    }
    return most;
}

/* In a turn a slice does what lanes want of one sector, each of its words for one lane. */
static void count_turns(struct record_step *step, const uint64_t *address, uint32_t mask)
{
    uint64_t turns[LANES];
    uint8_t rank[LANES];
    uint32_t count = 0;
    rank_lanes(address, mask, rank);
    EACH_ACTIVE(lane, mask)
    {
        uint32_t i = 0;
        turns[count] = address[lane] / 32 * LANES + rank[lane];
        while (turns[i] != turns[count])
            i++;
        if (i == count)
            step->turns[count++] = address[lane];
    }
    step->cost.turns = (uint8_t)count;
}

static void look_at_atomic(struct record_step *step, const struct insn *insn, const uint64_t *address,
                           uint32_t mask)
{
    struct access_cost *cost = &step->cost;
    cost->address = (uint32_t)(address[0] >> 2);
    if (insn->space == PTX_SHARED) {
        uint8_t rank[LANES];
        if (insn->is_swap_loop) /* in a round one of the lanes on a word succeeds */
            cost->turns = (uint8_t)rank_lanes(address, mask, rank);
        return;
    }
    cost->addresses = (uint8_t)distinct_words(address);
    cost->units = (uint8_t)distinct_units(address, L2_UNIT_BITS);
    count_turns(step, address, mask);
}

/* The operand of the address follows the destinations; textures have none. False: no global memory. */
static bool look_at_addresses(struct record_step *step, const struct warp *warp, const struct insn *insn,
                              uint32_t mask)
{
    struct access_cost *cost = &step->cost;
    uint64_t *address = step->address;
    const uint32_t bytes = access_bytes(insn);
    if (insn->class == CLASS_TEXTURE || insn->is_async)
        return false;
    step->has_addresses = true;
    const enum access_shape shape = lane_addresses(warp, insn->o[insn->is_store ? 0 : insn->ndefs], insn->imm,
                                                   insn->is_wide, mask, bytes, address);
    cost->is_uniform = shape == ACCESS_UNIFORM;
    cost->bytes = (uint16_t)(cost->lanes * bytes);
    if (insn->class == CLASS_ATOMIC)
        look_at_atomic(step, insn, address, mask);
    if (insn->space == PTX_SHARED || insn->space == PTX_LOCAL)
        return false;
    if (!look_at_shape(cost, shape, address[0], bytes)) {
        cost->lines = (uint8_t)distinct_lines(address);
        cost->passes = (uint8_t)l1_passes(address, mask, bytes, cost->lines);
    }
    return true;
}

static uint32_t line_entry(uint64_t sector)
{
    return (uint32_t)(sector >> 2) << LINE_SHIFT;
}

/* Adds a sector to the lines from first on. */
static void add_sector(uint32_t *lines, uint32_t *count, uint64_t sector)
{
    const uint32_t entry = line_entry(sector), bit = 1u << (sector & 3);
    for (uint32_t i = *count; i-- > 0;)
        if ((lines[i] & ~LINE_SECTORS_MASK) == entry) {
            lines[i] |= bit;
            return;
        }
    lines[(*count)++] = entry | bit;
}

/* The lines that an access wants, at the end of the record's. False: no memory. */
static bool list_lines(struct access_cost *cost, struct warp_record *record, const uint64_t *address)
{
    uint64_t sectors[LANES];
    const uint32_t count = distinct_sectors(address, sectors);
    uint32_t lines = 0;
    while (record->lines_capacity < record->nlines + LANES)
        if (!grow((void **)&record->lines, &record->lines_capacity, sizeof *record->lines))
            return false;
    for (uint32_t i = 0; i < count; i++)
        add_sector(record->lines + record->nlines, &lines, sectors[i]);
    cost->has_lines = true;
    cost->first_line = record->nlines;
    cost->lines = (uint8_t)lines;
    return true;
}

static bool is_plain(const struct insn *insn)
{
    return insn->class == CLASS_GLOBAL && !insn->is_async;
}

/* What a tape shows of an access that is not recorded. */
static void look_for_tape(struct record_step *step, const struct warp *warp, const struct insn *insn,
                          uint32_t mask)
{
    if (!warp->record || !warp->record->tape || !mask || !record_has_cost(insn) ||
        insn->class == CLASS_TEXTURE || insn->is_async)
        return;
    step->has_addresses = true;
    lane_addresses(warp, insn->o[insn->is_store ? 0 : insn->ndefs], insn->imm, insn->is_wide, mask,
                   access_bytes(insn), step->address);
}

void record_step_begin(struct record_step *step, struct warp *warp, const struct insn *insn, uint32_t mask)
{
    step->function = warp->frame->function;
    step->frame = warp->frame;
    step->active = warp->active;
    step->mask = mask;
    step->has_addresses = false;
    step->trail_frame = NO_FRAME;
    record_before(warp);
    if (warp->record && warp->record->trail)
        step->trail_frame = trail_begin(warp->record->trail, warp, insn, mask);
    step->is_open = is_open(warp, insn);
    if (step->is_open && warp->record->nlines + LANES > lines_limit(warp->record)) {
        close_window(warp->record);
        step->is_open = false;
    }
    if (!step->is_open)
        look_for_tape(step, warp, insn, mask);
    if (!step->is_open || !record_has_cost(insn))
        return;
    step->stat = *stat_of(warp, insn);
    step->traffic = warp->worker->traffic;
    step->cost = (struct access_cost){.lanes = (uint8_t)__builtin_popcount(mask)};
    if (!mask || !look_at_addresses(step, warp, insn, mask) || !is_plain(insn))
        return;
    step->cost.is_cached = !insn->is_store && !passes_l1(warp, insn);
    if ((insn->is_store || step->cost.is_cached) && !list_lines(&step->cost, warp->record, step->address))
        cut(warp);
}

/* Two slices take a kilobyte, its four units by turns; the next two take the next. */
static uint32_t slice_of(uint64_t address)
{
    const uint64_t unit = address >> L2_UNIT_BITS;
    return (uint32_t)((unit / 4 * 2 + unit % 2) % L2_SLICES);
}

/* Integers of lanes that all mean one word are added up in the SM, as far as ptxas sees it: one turn. */
static void note_turns(struct warp_record *record, const struct record_step *step, const struct insn *insn)
{
    const bool is_one = step->cost.is_uniform && !strstr(insn->source->name, ".f");
    for (uint32_t i = 0; i < (is_one ? 1u : step->cost.turns); i++) {
        record->turns.slices[slice_of(step->turns[i])]++;
        record->turns.sectors[step->turns[i] / 32 % SECTOR_GROUPS]++;
    }
}

static uint16_t grown_by(uint64_t now, uint64_t before)
{
    return now - before < UINT16_MAX ? (uint16_t)(now - before) : UINT16_MAX;
}

/* A picture of what was just done, by what it cost. */
static void take_picture(struct warp_record *record, const struct record_step *step, const struct warp *warp,
                         const struct insn *insn, const struct access_cost *cost)
{
    struct picture picture = {.block = sample_block(warp->block->launch, warp->block->index),
                              .warp = warp->index,
                              .mask = step->mask,
                              .bytes = access_bytes(insn),
                              .cost = cost->wavefronts ? cost->wavefronts : cost->sectors};
    memcpy(picture.address, step->address, sizeof picture.address);
    pictures_note(record->pictures, insn->id, &picture);
}

void record_step_end(const struct record_step *step, struct warp *warp, const struct insn *insn)
{
    struct warp_record *record = warp->record;
    const bool is_split =
        insn->flow == FLOW_CALL && warp->ip == insn; /* each group of lanes executes the call by itself */
    if (record && record->tape && !is_split)
        tape_after(record->tape, warp, &(struct tape_place){step->function, step->frame, insn}, step->active,
                   step->mask, step->has_addresses ? step->address : NULL);
    if (record && record->trail && !is_split)
        trail_end(record->trail, insn, step->active, step->mask, step->trail_frame);
    if (record && record->is_full && !is_followed(record))
        warp->record = NULL;
    if (!record || !step->is_open || is_split || record->is_full)
        return;
    add_place(warp, step->function, insn);
    if (record->is_full || !record_has_cost(insn))
        return;
    if (record->ncosts == record->costs_capacity &&
        !grow((void **)&record->costs, &record->costs_capacity, sizeof *record->costs)) {
        record->nplaces--;
        cut(warp);
        return;
    }
    const struct insn_stat *now = stat_of(warp, insn), *before = &step->stat;
    const struct traffic *traffic = &warp->worker->traffic;
    struct access_cost *cost = &record->costs[record->ncosts++];
    *cost = step->cost;
    cost->sectors = (uint16_t)(grown_by(now->sectors, before->sectors) +
                               grown_by(now->local_sectors, before->local_sectors));
    cost->wavefronts = grown_by(now->wavefronts, before->wavefronts);
    cost->l2_reads = grown_by(traffic->l2_read_sectors, step->traffic.l2_read_sectors);
    cost->l2_writes = grown_by(traffic->l2_write_sectors, step->traffic.l2_write_sectors);
    record->nlines += cost->has_lines ? cost->lines : 0;
    if (cost->addresses && !cost->wavefronts)
        note_turns(record, step, insn);
    if (record->pictures && step->has_addresses)
        take_picture(record, step, warp, insn, cost);
}
