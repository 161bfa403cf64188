/* sync.c - barriers of a block and of a warp, and fences.
 * A barrier is complete when every thread of the block that has not exited is there, or as many as it was told to
 * wait for. Who waits is recorded in the fragments (warp.h); what a barrier orders is the checkers' business. */
#include <string.h>

#include "core/checker.h"
#include "core/findings.h"
#include "decode/decode_internal.h"
#include "exec/instructions.h"
#include "core/warp.h"

/* ------------------------------------------------------------------------------------------- arrival */

/* A whole warp counts as 32 threads even if some of its lanes do not exist or have exited. */
static uint32_t threads_of(const struct warp *warp, const struct barrier *barrier, uint32_t mask)
{
    uint32_t live = warp->lanes & ~warp->exited;
    if (mask == FULL_MASK || (barrier->count && (mask & live) == live))
        return LANES;
    return (uint32_t)__builtin_popcount(mask);
}

static void reduce(struct barrier *barrier, struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (insn->op < BAR_POPC || insn->op > BAR_OR)
        return;
    if (warp->undefined)
        checker_of(warp)->undefined->barrier(warp, insn, mask);
    uint32_t trues = warp->preds[insn->preds[1]] & mask;
    barrier->popc += (uint32_t)__builtin_popcount(trues);
    barrier->ands &= trues == mask;
    barrier->ors |= trues != 0;
}

static uint32_t uniform(const struct warp *warp, uint32_t operand, uint32_t mask)
{
    return ((const uint32_t *)slot(warp, operand))[__builtin_ctz(mask)];
}

static inline struct barrier *barrier_at(const struct warp *warp, const struct insn *insn, uint32_t number)
{
    struct block_state *state = warp->block->state;
    struct barrier *barrier = &state->barriers[number];
    if (!barrier->insn) {
        barrier->insn = insn;
        barrier->ands = 1;
        state->awaited |= 1u << number;
    }
    return barrier;
}

static inline void arrive(struct warp *warp, const struct insn *insn, uint32_t mask, uint32_t number,
                          struct barrier *barrier)
{
    barrier->threads += threads_of(warp, barrier, mask);
    barrier->lanes[warp->index] |= mask;
    if (warp->block->shadow)
        checker_of(warp)->barrier_arrive(warp, insn, mask, number);
}

/* The number is in the first source, the count (if any) in the second. */
static enum step step_bar(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint32_t number = insn->op == BAR_CLUSTER ? CLUSTER_BARRIER : uniform(warp, insn->o[insn->ndefs], mask);
    if (number >= BARRIERS) {
        finding_add(warp, insn, __builtin_ctz(mask), VGPU_BARRIER_NUMBER, "barrier %u", number);
        return launch_fault(warp, cudaErrorIllegalInstruction);
    }
    struct barrier *barrier = barrier_at(warp, insn, number);
    if (insn->nuses > 1)
        barrier->count = uniform(warp, insn->o[insn->ndefs + 1], mask);
    reduce(barrier, warp, insn, mask);
    arrive(warp, insn, mask, number, barrier);
    if (insn->op != BAR_ARRIVE)
        return warp_wait_barrier(warp, insn, mask, number);
    barriers_update(warp->block);
    return STEP_NEXT;
}

/* __syncthreads(): the number, in imm, is good, everybody comes, and nothing is reduced. */
static enum step step_bar_all(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint32_t number = (uint32_t)insn->imm;
    arrive(warp, insn, mask, number, barrier_at(warp, insn, number));
    return warp_wait_barrier(warp, insn, mask, number);
}

/* __syncwarp(mask). Groups of lanes may each pass a mask of their own (tiles of a cooperative group). */
static enum step step_bar_warp(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint32_t *masks = slot(warp, insn->o[0]);
    uint32_t members = 0, outside = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        members |= masks[i];
        outside |= ~masks[i] & 1u << i;
    }
    if (outside && warp->worker->check != CHECK_OFF)
        finding_add(warp, insn, __builtin_ctz(outside), VGPU_SYNCWARP_OUTSIDE_MASK, "the mask is 0x%08x",
                    masks[__builtin_ctz(outside)]);
    enum step step = warp_converge(warp, insn, members);
    if (step == STEP_NEXT && warp->block->shadow)
        checker_of(warp)->warp_sync(warp, mask);
    return step;
}

static enum step step_fence(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (warp->block->shadow)
        checker_of(warp)->fence(warp, insn, mask);
    return STEP_NEXT;
}

/* ------------------------------------------------------------------------------------------- decoding */

static bool sync_step(struct insn *out, step_fn *step, enum insn_flow flow, enum bar_op op)
{
    out->kind = INSN_STEP;
    out->class = CLASS_SYNC;
    out->step = step;
    out->flow = (uint8_t)flow;
    out->op = (uint8_t)op;
    return true;
}

static bool decode_bar_red(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                           struct insn *out)
{
    uint32_t last = in->noperands - 1;
    if (in->noperands < 3)
        return decode_error(decoder, "takes a destination, a barrier and a predicate");
    sync_step(out, step_bar, FLOW_BARRIER,
              opcode_has(opcode, "popc")  ? BAR_POPC
              : opcode_has(opcode, "and") ? BAR_AND
                                          : BAR_OR);
    out->preds[0] = PRED_NONE;
    bool has_dest = out->op == BAR_POPC ? decode_dest(decoder, out, &in->operands[0], 'w')
                                        : decode_pred_dest(decoder, &in->operands[0], &out->preds[0]);
    for (uint32_t k = 1; has_dest && k < last; k++)
        has_dest = decode_source(decoder, out, &in->operands[k], 'w');
    return has_dest && decode_pred_source(decoder, &in->operands[last], &out->preds[1]);
}

bool decode_bar(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    if (opcode_has(opcode, "warp"))
        return in->noperands == 1 && decode_source(decoder, out, &in->operands[0], 'w') &&
               sync_step(out, step_bar_warp, FLOW_WARP_SYNC, BAR_SYNC);
    if (opcode_has(opcode, "red"))
        return decode_bar_red(decoder, opcode, in, out);
    if (in->noperands < 1)
        return decode_error(decoder, "names no barrier");
    for (uint32_t k = 0; k < in->noperands; k++)
        if (!decode_source(decoder, out, &in->operands[k], 'w'))
            return false;
    const struct ptx_operand *number = &in->operands[0];
    const bool is_arrival = opcode_has(opcode, "arrive");
    const bool is_plain =
        !is_arrival && in->noperands == 1 && number->kind == PTX_OP_INT && number->bits < CLUSTER_BARRIER;
    out->imm = is_plain ? (int64_t)number->bits : 0;
    return sync_step(out, is_plain ? step_bar_all : step_bar, FLOW_BARRIER,
                     is_arrival ? BAR_ARRIVE : BAR_SYNC);
}

/* A cluster here is one block: to arrive costs nothing, to wait is a barrier of the block. */
bool decode_barrier(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                    struct insn *out)
{
    if (!opcode_has(opcode, "cluster"))
        return decode_bar(decoder, opcode, in, out);
    if (opcode_has(opcode, "arrive"))
        return sync_step(out, step_fence, FLOW_NEXT, BAR_SYNC);
    return sync_step(out, step_bar, FLOW_BARRIER, BAR_CLUSTER);
}

bool decode_fence(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                  struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    return sync_step(out, step_fence, FLOW_NEXT, BAR_SYNC);
}
