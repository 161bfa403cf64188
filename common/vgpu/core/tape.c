/* tape.c - see tape.h. Without memory a tape ends early. */
#include "core/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "core/access.h"
#include "core/findings.h"
#include "core/places.h"
#include "core/warp.h"

void (*tape_probe)(const struct tape *tape, const struct warp *warp, const struct frame *frame);

struct tape *tape_new(const struct block *block)
{
    struct tape *tape = calloc(1, sizeof *tape);
    if (!tape)
        return NULL;
    tape->block = sample_block(block->launch, block->index);
    tape->nwarps = block->nwarps;
    tape->shared_bytes = smaller_of(block->shared_bytes, (uint32_t)TAPE_SHARED) / 4 * 4;
    tape->trip_of = calloc((size_t)block->nwarps * LANES, sizeof *tape->trip_of);
    tape->looked = calloc(block->nwarps, sizeof *tape->looked);
    tape->is_full = calloc(block->nwarps, 1);
    tape->is_cut = calloc(block->nwarps, 1);
    tape->shared = calloc(1, tape->shared_bytes + 4);
    if (tape->trip_of && tape->looked && tape->is_full && tape->is_cut && tape->shared) {
        memcpy(tape->shared, block->shared, tape->shared_bytes);
        return tape;
    }
    tape_free(tape);
    return NULL;
}

void tape_free(struct tape *tape)
{
    if (!tape)
        return;
    free(tape->steps);
    free(tape->words);
    free(tape->spare_steps);
    free(tape->spare_words);
    free(tape->trips);
    free(tape->visits);
    free(tape->trip_of);
    free(tape->looked);
    free(tape->is_full);
    free(tape->is_cut);
    free(tape->shared);
    free(tape->preds);
    free(tape);
}

/* ------------------------------------------------------------------------------------------- words */

/* has_room() has made room for all that a step can have. */
static void put(struct tape *tape, const void *words, uint32_t count)
{
    memcpy(tape->words + tape->nwords, words, count * sizeof *tape->words);
    tape->nwords += count;
}

static void put_pair(struct tape *tape, uint32_t index, uint32_t value)
{
    put(tape, (uint32_t[2]){index, value}, 2);
}

/* Registers of two bytes become words. */
static void put_def(struct tape *tape, const uint8_t *slot, uint32_t offset, uint32_t size)
{
    put(tape, &offset, 1);
    if (size == 8) {
        put(tape, slot, 2 * LANES);
    } else if (size == 4) {
        put(tape, slot, LANES);
    } else {
        for (int i = 0; i < LANES; i++)
            tape->words[tape->nwords++] = ((const uint16_t *)(const void *)slot)[i];
    }
}

/* ------------------------------------------------------------------------------------------- parts of a step */

/* Arithmetic, branches, loads, and what is written to other memory leave it alone; copies come to it with waits and barriers. */
static bool can_write_shared(const struct insn *insn)
{
    static const bool is_access[CLASS_COUNT] = {
        [CLASS_GLOBAL] = true, [CLASS_SHARED] = true, [CLASS_LOCAL] = true, [CLASS_ATOMIC] = true};
    static const bool is_unknown[CLASS_COUNT] = {
        [CLASS_SYNC] = true, [CLASS_CONTROL] = true, [CLASS_OTHER] = true};
    const bool is_near = insn->space == PTX_SHARED || insn->space == PTX_GENERIC;
    if (insn->kind != INSN_STEP || insn->flow == FLOW_BRANCH || insn->flow == FLOW_TABLE)
        return false;
    if (is_access[insn->class])
        return insn->is_async || ((insn->is_store || insn->is_atomic) && is_near);
    return is_unknown[insn->class];
}

/* Of a warp that has no more room, only what it does to others is of interest. */
static bool is_ignored(const struct tape *tape, const struct warp *warp, const struct insn *insn)
{
    return tape->is_over || (tape->is_full[warp->index] && !(tape->shared_bytes && can_write_shared(insn)));
}

/* Predicates are destinations of few instructions, in as many ways: whatever differs was written. */
void tape_before(struct tape *tape, const struct warp *warp)
{
    const uint32_t npreds = warp->frame->function->npreds;
    if (tape->is_over || tape->is_full[warp->index])
        return;
    if (npreds > tape->npreds) {
        uint32_t *grown = realloc(tape->preds, npreds * sizeof *grown);
        if (!grown)
            return;
        tape->preds = grown;
        tape->npreds = npreds;
    }
    if (npreds)
        memcpy(tape->preds, warp->frame->preds, npreds * sizeof *tape->preds);
    tape->frame = warp->frame;
    tape->depth = 0;
    for (const struct frame *frame = warp->frame->caller; frame; frame = frame->caller)
        tape->depth++;
}

/* Its frame may be gone when it is over. */
static bool leaves_frame(const struct insn *insn)
{
    return insn->flow == FLOW_CALL || insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT ||
           insn->flow == FLOW_TRAP;
}

static void put_preds(struct tape *tape, struct tape_step *step, const struct frame *frame)
{
    if (leaves_frame(step->insn) || tape->frame != frame)
        return;
    for (uint32_t i = 0; i < step->function->npreds; i++)
        if (frame->preds[i] != tape->preds[i]) {
            step->npreds++;
            put_pair(tape, i, frame->preds[i]);
        }
}

static void look_at_word(struct tape *tape, struct tape_step *step, const struct block *block, uint32_t word)
{
    uint32_t now;
    if (word >= tape->shared_bytes / 4)
        return;
    memcpy(&now, block->shared + 4 * (size_t)word, sizeof now);
    if (now == tape->shared[word])
        return;
    tape->shared[word] = now;
    step->nshared++;
    put_pair(tape, word, now);
}

/* A plain store changes what its lanes' addresses say. */
static bool is_plain_store(const struct tape_step *step, const struct block *block, const uint64_t *address)
{
    const struct insn *insn = step->insn;
    if (!address || insn->class != CLASS_SHARED || insn->space != PTX_SHARED || !insn->is_store ||
        insn->is_atomic || !insn->width || !insn->count)
        return false;
    EACH_ACTIVE(lane, step->mask)
    {
        if (address[lane] >= block->shared_bytes)
            return false;
    }
    return true;
}

static void put_stored(struct tape *tape, struct tape_step *step, const struct block *block,
                       const uint64_t *address)
{
    const uint32_t bytes = (uint32_t)step->insn->width * step->insn->count;
    EACH_ACTIVE(lane, step->mask)
    {
        const uint32_t from = (uint32_t)address[lane] / 4, to = ((uint32_t)address[lane] + bytes - 1) / 4;
        for (uint32_t word = from; word <= to; word++)
            look_at_word(tape, step, block, word);
    }
}

static void put_shared(struct tape *tape, struct tape_step *step, const struct block *block,
                       const uint64_t *address)
{
    if (!can_write_shared(step->insn) || !tape->shared_bytes)
        return;
    if (is_plain_store(step, block, address))
        put_stored(tape, step, block, address);
    else if (memcmp(tape->shared, block->shared, tape->shared_bytes) != 0)
        for (uint32_t i = 0; i < tape->shared_bytes / 4; i++)
            look_at_word(tape, step, block, i);
}

static void put_defs(struct tape *tape, struct tape_step *step, const struct frame *frame)
{
    const struct insn *insn = step->insn;
    if (insn->kind == INSN_SETP || leaves_frame(insn) || !step->mask)
        return;
    step->def_words = insn->dsize == 8 ? 2 : 1;
    for (uint32_t i = 0; i < insn->ndefs; i++) {
        if (insn->o[i] & (SLOT_CONSTANT | SLOT_PRED))
            continue;
        step->ndefs++;
        put_def(tape, frame->regs + insn->o[i], insn->o[i], insn->dsize);
    }
}

/* What the block's list has more than before was found in this step; NULL: in one that nobody sees. */
static void note_findings(struct tape *tape, const struct findings *list, const struct tape_step *step)
{
    uint64_t times;
    for (const size_t count = findings_count(list); tape->nfindings < count; tape->nfindings++) {
        const struct finding *found = findings_at(list, tape->nfindings, &times);
        if (tape->nmarks == TAPE_MARKS || !step)
            continue;
        struct tape_mark *mark = &tape->marks[tape->nmarks++];
        *mark = (struct tape_mark){.serial = step->serial,
                                   .kind = found->kind,
                                   .loc = found->loc,
                                   .other_loc = found->other_loc,
                                   .thread = found->thread};
        memcpy(mark->what, found->what, sizeof mark->what);
        tape_pin(tape, step->trip);
    }
}

/* ------------------------------------------------------------------------------------------- steps */

/* More words than any step has. */
static uint32_t words_of_step(const struct tape *tape, const struct function *function)
{
    return (MAX_OPERANDS + 1) * (1 + 2 * LANES) + 2 * function->npreds + tape->shared_bytes / 2;
}

static bool has_room(struct tape *tape, const struct function *function)
{
    const uint32_t most = words_of_step(tape, function);
    if (tape->nsteps + 1 > TAPE_STEPS || tape->nwords + most > TAPE_WORDS || tape->ntrips + 1 > TAPE_TRIPS)
        tape_make_room(tape);
    struct tape_step *steps =
        list_reserve(tape->steps, &tape->steps_capacity, tape->nsteps + 1, sizeof *steps);
    uint32_t *words = list_reserve(tape->words, &tape->words_capacity, tape->nwords + most, sizeof *words);
    tape->steps = steps ? steps : tape->steps;
    tape->words = words ? words : tape->words;
    tape->is_over |= !steps || !words || tape->serial == 2 * TAPE_LOOKED || tape->nwords + most > TAPE_WORDS;
    return !tape->is_over;
}

/* Asked whenever a warp has taken twice as many: who is near its end may come to it. */
static void note_looked(struct tape *tape, uint32_t warp)
{
    const uint32_t left = tape->serial < TAPE_LOOKED ? TAPE_LOOKED - tape->serial : 0;
    const uint32_t looked = ++tape->looked[warp];
    if (looked >= TAPE_SHARE && !(looked & (looked - 1)) && looked > left / 2)
        tape->is_full[warp] = 1;
}

static void add_quiet(struct tape *tape, struct tape_step *step, const struct block *block,
                      const uint64_t *address)
{
    tape->is_cut[step->warp] = 1;
    put_shared(tape, step, block, address);
    step->kind = TAPE_QUIET;
    step->has_addresses = false;
    if (step->nshared)
        tape->steps[tape->nsteps++] = *step;
    note_findings(tape, block->findings, NULL);
}

void tape_after(struct tape *tape, const struct warp *warp, const struct tape_place *place, uint32_t active,
                uint32_t mask, const uint64_t *address)
{
    const struct frame *frame = place->frame;
    if (is_ignored(tape, warp, place->insn) || !has_room(tape, place->function)) {
        tape->is_cut[warp->index] = 1;
        return;
    }
    struct tape_step step = {.function = place->function,
                             .insn = place->insn,
                             .warp = warp->index,
                             .active = active,
                             .mask = mask,
                             .serial = ++tape->serial,
                             .first = tape->nwords,
                             .has_addresses = address != NULL};
    note_looked(tape, warp->index);
    if (tape->is_full[warp->index]) {
        add_quiet(tape, &step, warp->block, address);
        return;
    }
    step.trip = tape_trip(tape, warp, place->function, place->insn, active);
    put_defs(tape, &step, frame);
    put_preds(tape, &step, frame);
    put_shared(tape, &step, warp->block, address);
    if (address)
        put(tape, address, 2 * LANES);
    tape->steps[tape->nsteps++] = step;
    note_findings(tape, warp->block->findings, &tape->steps[tape->nsteps - 1]);
    if (tape_probe)
        tape_probe(tape, warp, leaves_frame(step.insn) ? NULL : frame);
}

void tape_skipped(struct tape *tape, const struct warp *warp, const struct insn *insn)
{
    if (!is_ignored(tape, warp, insn))
        tape_trip(tape, warp, warp->frame->function, insn, warp->active);
}
