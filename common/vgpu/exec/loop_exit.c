/* loop_exit.c - what decides whether a loop is ever left: the backward slice of its exit tests (loop_slice.h).
 * Exits are the branches out of the loop, and instructions that end a thread. Needed are their predicates, what computes them
 * in the loop, and the branches that decide whether that is computed.
 * Whatever is not understood counts as EXIT_OTHERS: a wrong answer here would stop a program that ends. */
#include "exec/loop_exit.h"

#include <string.h>

/* Whether a branch decides if something relevant is executed before its ways meet again. */
static bool decides(const struct slice *slice, uint32_t number)
{
    const uint32_t at = slice->code[number];
    const struct insn *insn = &slice->function->code[at];
    if (insn->flow == FLOW_TABLE || insn->branch.join == NO_JOIN)
        return true;
    struct reach between;
    bool is_found = !reach_from(slice->function, &between, at, insn->branch.join);
    for (uint32_t n = 0; n < slice->ncode && !is_found; n++)
        is_found = n != number && slice->code[n] != insn->branch.join && slice->is_relevant[n] &&
                   between.is_reached[slice->code[n]];
    reach_free(&between);
    return is_found;
}

static bool mark_deciding(struct slice *slice)
{
    bool is_changed = false;
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = &slice->function->code[slice->code[n]];
        const bool is_open = !slice->is_relevant[n] &&
                             (insn->flow == FLOW_TABLE || (insn->flow == FLOW_BRANCH && insn->guard));
        if (is_open && decides(slice, n))
            slice->is_relevant[n] = is_changed = true;
    }
    return is_changed;
}

static void find_needs(struct slice *slice)
{
    for (uint32_t n = 0; n < slice->ncode; n++)
        slice->is_relevant[n] =
            insn_leaves(&slice->function->code[slice->code[n]]) || slice_next(slice, slice->code[n]).is_out;
    bool is_changed = true;
    while (is_changed && !slice->needs_others) {
        is_changed = slice_update(slice);
        if (!is_changed)
            is_changed = mark_deciding(slice);
    }
}

/* Of what is needed at the head, the slots that the loop sets; the others stay. */
static bool list_slots(const struct slice *slice, struct loop_exit *out)
{
    const uint64_t *needed = slice->needed + (size_t)(slice->member[slice->head] - 1) * slice->words;
    uint64_t *is_listed = slice->after;
    memset(is_listed, 0, slice->words * sizeof *is_listed);
    for (uint32_t n = 0; n < slice->ncode; n++) {
        const struct insn *insn = &slice->function->code[slice->code[n]];
        for (uint32_t k = 0; k < insn->ndefs + set_predicates(insn); k++) {
            const bool is_pred = k >= insn->ndefs;
            const uint32_t number = is_pred ? insn->preds[k - insn->ndefs] : 0;
            const uint32_t operand = is_pred ? SLOT_PRED | number : insn->o[k];
            if ((is_pred && number == PRED_NONE) || !is_register(operand) ||
                !slice_is_needed(slice, needed, operand) || slice_is_needed(slice, is_listed, operand))
                continue;
            if (out->count == EXIT_SLOTS || (!is_pred && !insn->dsize))
                return false;
            slice_need(slice, is_listed, operand);
            out->slots[out->count].slot = operand;
            out->slots[out->count++].bytes = is_pred ? 4 : insn->dsize * 32u;
        }
    }
    return true;
}
/* From the head on: does a way lead out, whatever its guards say? */
static bool can_leave(const struct function *function, const uint8_t *is_reached)
{
    bool is_found = is_reached[function->ncode];
    for (uint32_t i = 0; i < function->ncode && !is_found; i++)
        is_found = is_reached[i] && insn_leaves(&function->code[i]);
    return is_found;
}
void loop_exit_find(const struct warp *warp, const struct insn *branch, struct loop_exit *out)
{
    const struct function *function = warp->frame->function;
    const uint32_t head = branch->branch.target;
    struct slice slice;
    struct reach all;
    *out = (struct loop_exit){.kind = EXIT_OTHERS};
    const bool is_closed =
        reach_from(function, &all, head, function->ncode) && !can_leave(function, all.is_reached);
    reach_free(&all);
    if (is_closed) {
        out->kind = EXIT_NONE;
        return;
    }
    if (slice_begin(&slice, warp, function, head)) {
        const int64_t rounds = loop_rounds(&slice, warp->frame, head);
        slice_clear(&slice);
        find_needs(&slice);
        if (!slice.needs_others && slice.needs_warp)
            out->kind = EXIT_WARP;
        else if (!slice.needs_others && list_slots(&slice, out))
            out->kind = EXIT_OWN;
        if (rounds != ROUNDS_UNKNOWN)
            out->kind = rounds == ROUNDS_NEVER ? EXIT_NEVER : EXIT_COUNT;
    }
    slice_end(&slice);
}
