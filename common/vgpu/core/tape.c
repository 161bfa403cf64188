/* tape.c - see tape.h. Without memory a tape ends early. */
#include "core/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"
#include "core/findings.h"
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
    tape->taken = calloc(block->nwarps, sizeof *tape->taken);
    tape->is_cut = calloc(block->nwarps, 1);
    tape->shared = calloc(1, tape->shared_bytes + 4);
    if (tape->taken && tape->is_cut && tape->shared) {
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
    free(tape->taken);
    free(tape->is_cut);
    free(tape->shared);
    free(tape->preds);
    free(tape);
}

/* ------------------------------------------------------------------------------------------- words */

static bool put(struct tape *tape, const void *words, uint32_t count)
{
    uint32_t *grown = tape->nwords + count > TAPE_WORDS ? NULL
                                                        : list_reserve(tape->words, &tape->words_capacity,
                                                                       tape->nwords + count, sizeof *grown);
    if (!grown)
        return false;
    tape->words = grown;
    memcpy(tape->words + tape->nwords, words, count * sizeof *grown);
    tape->nwords += count;
    return true;
}

static bool put_pair(struct tape *tape, uint32_t index, uint32_t value)
{
    return put(tape, (uint32_t[2]){index, value}, 2);
}

/* Registers of two bytes become words. */
static bool put_def(struct tape *tape, const uint8_t *slot, uint32_t offset, uint32_t size)
{
    uint32_t lanes[2 * LANES];
    const uint32_t nwords = size == 8 ? 2 * LANES : LANES;
    if (size == 2)
        for (int i = 0; i < LANES; i++)
            lanes[i] = ((const uint16_t *)(const void *)slot)[i];
    else
        memcpy(lanes, slot, nwords * sizeof *lanes);
    return put(tape, &offset, 1) && put(tape, lanes, nwords);
}

/* ------------------------------------------------------------------------------------------- parts of a step */

/* Predicates are destinations of few instructions, in as many ways: whatever differs was written. */
void tape_before(struct tape *tape, const struct warp *warp)
{
    const uint32_t npreds = warp->frame->function->npreds;
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
}

/* Its frame may be gone when it is over. */
static bool leaves_frame(const struct insn *insn)
{
    return insn->flow == FLOW_CALL || insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT ||
           insn->flow == FLOW_TRAP;
}

static bool put_preds(struct tape *tape, struct tape_step *step, const struct frame *frame)
{
    if (leaves_frame(step->insn) || tape->frame != frame)
        return true;
    for (uint32_t i = 0; i < step->function->npreds; i++)
        if (frame->preds[i] != tape->preds[i]) {
            step->npreds++;
            if (!put_pair(tape, i, frame->preds[i]))
                return false;
        }
    return true;
}

/* Loads read it, arithmetic leaves it alone; copies come to it with waits. */
static bool can_write_shared(const struct insn *insn)
{
    return insn->kind == INSN_STEP;
}

static bool put_shared(struct tape *tape, struct tape_step *step, const struct block *block)
{
    uint32_t now;
    if (!can_write_shared(step->insn) || !tape->shared_bytes ||
        memcmp(tape->shared, block->shared, tape->shared_bytes) == 0)
        return true;
    for (uint32_t i = 0; i < tape->shared_bytes / 4; i++) {
        memcpy(&now, block->shared + 4 * i, sizeof now);
        if (now == tape->shared[i])
            continue;
        tape->shared[i] = now;
        step->nshared++;
        if (!put_pair(tape, i, now))
            return false;
    }
    return true;
}

static bool put_defs(struct tape *tape, struct tape_step *step, const struct frame *frame)
{
    const struct insn *insn = step->insn;
    if (insn->kind == INSN_SETP || leaves_frame(insn) || !step->mask)
        return true;
    step->def_words = insn->dsize == 8 ? 2 : 1;
    for (uint32_t i = 0; i < insn->ndefs; i++) {
        if (insn->o[i] & (SLOT_CONSTANT | SLOT_PRED))
            continue;
        step->ndefs++;
        if (!put_def(tape, frame->regs + insn->o[i], insn->o[i], insn->dsize))
            return false;
    }
    return true;
}

/* What the block's list has more than before was found in this step. */
static void note_findings(struct tape *tape, const struct findings *list)
{
    uint64_t times;
    for (const size_t count = findings_count(list); tape->nfindings < count; tape->nfindings++) {
        const struct finding *found = findings_at(list, tape->nfindings, &times);
        if (tape->nmarks == TAPE_MARKS)
            continue;
        struct tape_mark *mark = &tape->marks[tape->nmarks++];
        *mark = (struct tape_mark){.step = tape->nsteps,
                                   .kind = found->kind,
                                   .loc = found->loc,
                                   .other_loc = found->other_loc,
                                   .thread = found->thread};
        memcpy(mark->what, found->what, sizeof mark->what);
    }
}

static uint32_t share_of(const struct tape *tape)
{
    return larger_of((uint32_t)TAPE_STEPS / tape->nwarps, (uint32_t)TAPE_SHARE);
}

void tape_after(struct tape *tape, const struct warp *warp, const struct tape_place *place, uint32_t active,
                uint32_t mask, const uint64_t *address)
{
    const struct frame *frame = place->frame;
    const struct insn *insn = place->insn;
    struct tape_step step = {.function = place->function,
                             .insn = insn,
                             .warp = warp->index,
                             .active = active,
                             .mask = mask,
                             .first = tape->nwords,
                             .has_addresses = address != NULL};
    if (tape->is_cut[warp->index])
        return;
    struct tape_step *grown =
        list_reserve(tape->steps, &tape->steps_capacity, tape->nsteps + 1, sizeof *grown);
    tape->steps = grown ? grown : tape->steps;
    if (tape->taken[warp->index] >= share_of(tape) || !grown || !put_defs(tape, &step, frame) ||
        !put_preds(tape, &step, frame) || !put_shared(tape, &step, warp->block) ||
        (address && !put(tape, address, 2 * LANES))) {
        tape->nwords = step.first;
        tape->is_cut[warp->index] = 1;
        return;
    }
    tape->taken[warp->index]++;
    tape->steps[tape->nsteps++] = step;
    note_findings(tape, warp->block->findings);
    if (tape_probe)
        tape_probe(tape, warp, leaves_frame(insn) ? NULL : frame);
}

/* ------------------------------------------------------------------------------------------- reading */

static uint32_t def_size(const struct tape_step *step)
{
    return 1 + step->def_words * LANES;
}

const uint32_t *tape_def(const struct tape *tape, const struct tape_step *step, uint32_t i)
{
    return tape->words + step->first + i * def_size(step);
}

const uint32_t *tape_preds(const struct tape *tape, const struct tape_step *step)
{
    return tape_def(tape, step, step->ndefs);
}

const uint32_t *tape_shared(const struct tape *tape, const struct tape_step *step)
{
    return tape_preds(tape, step) + 2 * step->npreds;
}

const uint32_t *tape_addresses(const struct tape *tape, const struct tape_step *step)
{
    return tape_shared(tape, step) + 2 * step->nshared;
}
