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
    const bool is_reducing = barrier->insn->op >= BAR_POPC && barrier->insn->op <= BAR_OR;
    if (block->shadow)
        block->launch->checker->barrier_done(block, number, barrier->lanes);
    for (uint32_t w = 0; w < block->nwarps; w++) {
        if (is_reducing)
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

/* Lanes of the mask wait in a fragment of their own. */
static struct fragment *split(struct warp *warp, uint32_t mask)
{
    struct fragment *fragment = &warp->state->fragments[warp->state->nfragments++];
    *fragment = (struct fragment){.join = fragment_current(warp)->join};
    warp->active &= ~mask;
    return fragment;
}

enum step warp_wait_barrier(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t barrier)
{
    const bool is_whole = mask == warp->active;
    struct fragment *fragment = is_whole ? fragment_current(warp) : split(warp, mask);
    fragment->state = FRAGMENT_BARRIER;
    fragment->mask = mask;
    fragment->ip = insn + 1;
    fragment->frame = warp->frame;
    fragment->waits_for = barrier;
    const struct block_state *block = warp->block->state;
    const struct barrier *place = &block->barriers[barrier];
    if (place->threads >= (place->count ? place->count : block->live))
        barriers_update(warp->block);
    return is_whole && fragment->state == FRAGMENT_BARRIER ? STEP_WAIT : STEP_NEXT;
}
