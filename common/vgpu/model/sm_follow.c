/* sm_follow.c - how a simulated warp follows its record: segment by segment, as ptxas ordered their operations.
 * A record has whole segments, from their first instruction to their last, unless lanes had to wait for each other in
 * between or a piece of the record ends; of such segments those operations are issued whose instructions are there. */
#include "model/sm_internal.h"

/* ------------------------------------------------------------------------------------------- costs */

static const struct access_cost no_cost;

/* A vector of four words for all lanes alike goes in two halves of the warp. */
enum { WIDE_BROADCAST = 2 };

static void merge(struct access_cost *cost, const struct access_cost *more)
{
    /* words a vector apart conflict one by one; as one vector access they do not conflict more */
    if (more->wavefronts > cost->wavefronts)
        cost->wavefronts = more->wavefronts;
    cost->sectors = (uint16_t)(cost->sectors + more->sectors);
    cost->l2_reads = (uint16_t)(cost->l2_reads + more->l2_reads);
    cost->l2_writes = (uint16_t)(cost->l2_writes + more->l2_writes);
    cost->bytes = (uint16_t)(cost->bytes + more->bytes);
}

/* The cost of an access of the segment, by its number; NULL: it is not in this part of the record, or the launch ended before
 * it was done. */
static const struct access_cost *cost_of(const struct sm_warp *warp, uint32_t place)
{
    if (!warp->costs || place < warp->costs_from)
        return NULL;
    const uint32_t at = (uint32_t)(warp->costs - warp->record->costs) + place - warp->costs_from;
    return at < warp->cost && at < warp->record->ncosts ? &warp->record->costs[at] : NULL;
}

struct access_cost sm_cost(const struct sm_warp *warp, const struct op *op)
{
    if (op->memory == NO_PLACE || !warp->costs)
        return no_cost;
    const struct access_cost *first = cost_of(warp, op->memory);
    struct access_cost cost = first ? *first : no_cost;
    uint32_t merged = 0;
    for (; merged < OP_MERGED && op->merged[merged] != NO_PLACE; merged++) {
        const struct access_cost *more = cost_of(warp, op->merged[merged]);
        if (more)
            merge(&cost, more);
    }
    if (merged == OP_MERGED && cost.wavefronts == 1)
        cost.wavefronts = WIDE_BROADCAST;
    return cost;
}

/* ------------------------------------------------------------------------------------------- parts of segments */

/* Instructions with costs among the first ones of a segment. */
static uint32_t costs_before(const struct function *function, const struct segment *segment, uint32_t code)
{
    uint32_t count = 0;
    for (uint32_t i = segment->first_insn; i < code; i++)
        count += record_has_cost(&function->code[i]);
    return count;
}

/* True if nothing is executed between the two instructions. */
static bool is_next(const struct function *function, uint32_t code, uint32_t next)
{
    if (next <= code)
        return false;
    while (++code < next)
        if (function->code[code].kind != INSN_JOIN)
            return false;
    return true;
}

/* How many places from here on follow each other within the segment. */
static uint32_t run_length(const struct warp_record *record, uint32_t at, const struct function *function,
                           uint32_t end_code)
{
    uint32_t n = 1;
    for (; at + n < record->nplaces; n++) {
        const uint32_t before = record->places[at + n - 1], place = record->places[at + n];
        if (place_function(place) != place_function(before) || place_code(place) >= end_code ||
            !is_next(function, place_code(before), place_code(place)))
            break;
    }
    return n;
}

static void set_ops(struct sm_warp *warp, const struct program_function *function, uint32_t first,
                    uint32_t count)
{
    warp->op = function->lowered->ops + first;
    warp->end = warp->op + count;
    warp->ports = function->ports + first;
    warp->costs = warp->record->costs ? warp->record->costs + warp->cost : NULL;
}

static void take_part(const struct sm *sm, struct sm_warp *warp, const struct program_function *entry,
                      const struct segment *segment, uint32_t length)
{
    const struct warp_record *record = warp->record;
    const uint32_t first = record->places[warp->place];
    const struct function *function = &sm->job->program->module->functions[place_function(first)];
    const uint32_t n = run_length(record, warp->place, function, segment->first_insn + segment->ninsns);
    const uint32_t before = costs_before(function, segment, place_code(first));
    warp->lowest = place_code(first);
    warp->highest = place_code(record->places[warp->place + n - 1]);
    warp->costs_from = before;
    warp->rounds = (double)n / length;
    set_ops(warp, entry, segment->first_op, segment->nops);
    warp->cost += costs_before(function, segment, warp->highest + 1) - before;
    warp->place += n;
}

/* ------------------------------------------------------------------------------------------- whole segments */

static void take_whole(struct sm_warp *warp, uint32_t rounds, uint32_t length, uint32_t nmemory)
{
    warp->lowest = 0;
    warp->highest = UINT32_MAX;
    warp->costs_from = 0;
    warp->rounds = rounds;
    warp->cost += rounds * nmemory;
    warp->place += rounds * length;
}

/* True if the record has the whole segment, so many times. */
static bool has_rounds(const struct warp_record *record, uint32_t at, uint32_t rounds, uint32_t length,
                       uint32_t span)
{
    const uint32_t *places = record->places + at;
    if (record->nplaces - at < rounds * length)
        return false;
    for (uint32_t k = 0; k < rounds; k++)
        if (places[k * length] != places[0] || places[(k + 1) * length - 1] - places[0] != span)
            return false;
    return true;
}

/* True if the record has the segment behind the one that comes now: lanes went both ways. */
static bool comes_later(const struct sm_warp *warp, const struct program_function *entry, uint32_t index,
                        uint32_t now)
{
    const uint32_t at = warp->place + entry->recorded[now];
    if (at >= warp->record->nplaces)
        return false;
    const uint32_t place = warp->record->places[at];
    return entry->lowered->segment_of[place_code(place)] == index;
}

/* The guarded segments behind this one that the record goes past. */
static void find_passed(const struct sm *sm, struct sm_warp *warp, const struct program_function *entry,
                        uint32_t index)
{
    const struct lowered *lowered = entry->lowered;
    if (warp->place >= warp->record->nplaces)
        return;
    const uint32_t next = warp->record->places[warp->place];
    if (&sm->job->program->functions[place_function(next)] != entry)
        return;
    const uint32_t now = lowered->segment_of[place_code(next)];
    uint32_t end = index + 1;
    while (end < now && lowered->segments[end].is_guarded && !comes_later(warp, entry, end, now))
        end++;
    if (end != now)
        return;
    warp->passed = lowered->segments + index + 1;
    warp->passed_end = lowered->segments + end;
}

static void take_segment(const struct sm *sm, struct sm_warp *warp)
{
    const struct warp_record *record = warp->record;
    const uint32_t place = record->places[warp->place];
    const struct program_function *entry = &sm->job->program->functions[place_function(place)];
    const uint32_t index = entry->lowered->segment_of[place_code(place)];
    const struct segment *segment = &entry->lowered->segments[index];
    const uint32_t length = entry->recorded[index], span = entry->spans[index];
    warp->code = sm->job->program->module->functions[place_function(place)].code;
    warp->first_register = entry->first_register;
    warp->segment = entry->first_segment + index;
    warp->is_mixed = segment->is_mixed;
    if (segment->unroll && has_rounds(record, warp->place, segment->unroll, length, span)) {
        set_ops(warp, entry, segment->first_unrolled, segment->nunrolled);
        take_whole(warp, segment->unroll, length, segment->nmemory);
    } else if (has_rounds(record, warp->place, 1, length, span)) {
        set_ops(warp, entry, segment->first_op, segment->nops);
        take_whole(warp, 1, length, segment->nmemory);
    } else {
        take_part(sm, warp, entry, segment, length);
        return;
    }
    find_passed(sm, warp, entry, index);
}

bool sm_pass(const struct sm *sm, struct sm_warp *warp)
{
    while (warp->passed < warp->passed_end && !warp->passed->nops)
        warp->passed++;
    if (warp->passed == warp->passed_end)
        return false;
    const struct segment *segment = warp->passed++;
    const uint32_t place = warp->record->places[warp->place - 1];
    set_ops(warp, &sm->job->program->functions[place_function(place)], segment->first_op, segment->nops);
    warp->costs = NULL;
    warp->is_mixed = true;
    warp->lowest = 0;
    warp->highest = UINT32_MAX;
    return true;
}

static uint32_t end_of_record(const struct sm *sm, const struct sm_warp *warp)
{
    const uint32_t all = warp->record->nplaces, most = sm->job->most_places;
    return most ? smaller_of(all, most) : all;
}

bool sm_follow(const struct sm *sm, struct sm_warp *warp)
{
    while (warp->place < end_of_record(sm, warp)) {
        take_segment(sm, warp);
        if (warp->op < warp->end)
            return true;
    }
    return false;
}

void sm_skip(struct sm_warp *warp)
{
    while (warp->op < warp->end && (warp->op->insn < warp->lowest || warp->op->insn > warp->highest)) {
        warp->op++;
        warp->ports++;
    }
}
