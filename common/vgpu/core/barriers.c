/* barriers.c - barriers of a block: when one is complete, and what happens then.
 * A barrier is complete when every thread of the block that has not exited is there, or as many as it was told to
 * wait for. Who waits is recorded in the fragments (warp.h). */
#include <string.h>

#include "core/checker.h"
#include "core/warp.h"

/* Fragments that a barrier let go at the same place go on as one. */
static void merge_ready(struct warp *warp)
{
    struct warp_state *state = warp->state;
    for (uint32_t i = state->nfragments; i-- > 1;)
        for (uint32_t k = 0; k < i; k++) {
            struct fragment *a = &state->fragments[k], *b = &state->fragments[i];
            bool is_same = a->state == FRAGMENT_READY && b->state == FRAGMENT_READY && a->ip == b->ip &&
                           a->frame == b->frame && a->join == b->join;
            if (!is_same || i == state->current || k == state->current)
                continue;
            a->mask |= b->mask;
            fragment_drop(warp, i);
            break;
        }
}

static void pass_barrier(struct warp *warp, uint32_t barrier)
{
    for (uint32_t i = 0; i < warp->state->nfragments; i++) {
        struct fragment *fragment = &warp->state->fragments[i];
        if (fragment->state == FRAGMENT_BARRIER && fragment->waits_for == barrier)
            fragment->state = FRAGMENT_READY;
    }
    if (warp->state->nfragments > 1 && warp->state->current == LANES)
        merge_ready(warp);
}

/* bar.red: every waiting lane learns the result. */
static void deliver(struct warp *warp, const struct barrier *barrier, uint32_t number)
{
    for (uint32_t f = 0; f < warp->state->nfragments; f++) {
        const struct fragment *fragment = &warp->state->fragments[f];
        if (fragment->state != FRAGMENT_BARRIER || fragment->waits_for != number)
            continue;
        const struct insn *insn = fragment->ip - 1;
        if (insn->op == BAR_POPC) {
            uint32_t *out = (uint32_t *)(fragment->frame->regs + insn->o[0]);
            for (uint32_t lanes = fragment->mask; lanes; lanes &= lanes - 1)
                out[__builtin_ctz(lanes)] = barrier->popc;
        }
        if ((insn->op == BAR_AND || insn->op == BAR_OR) && insn->preds[0] != PRED_NONE) {
            uint32_t *pred = &fragment->frame->preds[insn->preds[0]];
            bool result = insn->op == BAR_AND ? barrier->ands : barrier->ors;
            *pred = result ? *pred | fragment->mask : *pred & ~fragment->mask;
        }
    }
}

static void complete(struct block *block, uint32_t number)
{
    struct barrier *barrier = &block->state->barriers[number];
    if (block->shadow)
        block->launch->checker->barrier_done(block, number, barrier->lanes);
    for (uint32_t w = 0; w < block->nwarps; w++) {
        if (barrier->insn->op >= BAR_POPC && barrier->insn->op <= BAR_OR)
            deliver(&block->warps[w], barrier, number);
        pass_barrier(&block->warps[w], number);
    }
    memset(barrier, 0, sizeof *barrier);
    block->state->awaited &= ~(1u << number);
}

void barriers_update(struct block *block)
{
    for (uint32_t rest = block->state->awaited; rest; rest &= rest - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(rest);
        struct barrier *barrier = &block->state->barriers[number];
        uint32_t needed = barrier->count ? barrier->count : block->state->live;
        if (barrier->threads >= needed)
            complete(block, number);
    }
}

enum step warp_wait_barrier(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t barrier)
{
    struct warp_state *state = warp->state;
    bool is_whole = mask == warp->active;
    uint32_t index = is_whole ? state->current : state->nfragments++;
    state->fragments[index] = (struct fragment){.state = FRAGMENT_BARRIER,
                                                .mask = mask,
                                                .ip = insn + 1,
                                                .frame = warp->frame,
                                                .join = fragment_current(warp)->join,
                                                .waits_for = barrier};
    if (!is_whole)
        warp->active &= ~mask;
    const struct barrier *place = &warp->block->state->barriers[barrier];
    if (place->threads >= (place->count ? place->count : warp->block->state->live))
        barriers_update(warp->block);
    return is_whole && state->fragments[index].state == FRAGMENT_BARRIER ? STEP_WAIT : STEP_NEXT;
}
