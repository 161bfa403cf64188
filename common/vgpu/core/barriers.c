/* barriers.c - barriers of a block: when one is complete, and what happens then.
 * A barrier is complete when every thread of the block that has not exited is there, or as many as it was told to
 * wait for. Who waits is recorded in the fragments (warp.h). */
#include <string.h>

#include "core/checker.h"
#include "core/warp.h"

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
        warp_pass_barrier(&block->warps[w], number);
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
