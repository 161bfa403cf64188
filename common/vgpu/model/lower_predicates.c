/* lower_predicates.c - a thread has seven predicates: a comparison whose result is wanted again after seven others is done
 * again, where it is wanted.
 * Works on a segment's operations in the order of the program, before they are ordered. */
#include <stdlib.h>
#include <string.h>

#include "model/lower_internal.h"

enum { PREDICATES = 7 };

/* The latest used first; what comes in pushes the last one out. */
struct held {
    uint16_t names[PREDICATES];
    uint32_t count;
};

/* True if it was there. It is the latest now. */
static bool hold(struct held *held, uint16_t name)
{
    uint32_t at = 0;
    while (at < held->count && held->names[at] != name)
        at++;
    const bool was_there = at < held->count;
    if (!was_there && held->count < PREDICATES)
        held->count++;
    const uint32_t moved = was_there ? at : held->count - 1;
    memmove(held->names + 1, held->names, moved * sizeof *held->names);
    held->names[0] = name;
    return was_there;
}

static bool is_predicate(const struct lowering *low, uint16_t name)
{
    return name < low->nregs && low->function->ptx->regs[name].type == PTX_PRED;
}

/* The comparison among the operations before the one at `end` that gives this predicate; NULL: it came from elsewhere. */
static const struct op *comparison_of(const struct lowering *low, const struct op *ops, uint32_t end,
                                      uint16_t name)
{
    for (uint32_t i = end; i-- > 0;)
        if (ops[i].def[0] == name)
            return ops[i].count == 1 && low->nodes[ops[i].insn].recipe->shape == SHAPE_COMPARE ? &ops[i]
                                                                                               : NULL;
    return NULL;
}

static bool append(struct lowering *low, const struct op *op)
{
    struct op *place = lower_new_op(low);
    if (place)
        *place = *op;
    return place != NULL;
}

/* The i-th operation, and before it the comparisons that it wants once more. */
static bool append_with_predicates(struct lowering *low, const struct op *ops, uint32_t i, struct held *held)
{
    for (uint32_t k = 0; k < OP_USES && ops[i].use[k] != NO_REGISTER; k++) {
        if (!is_predicate(low, ops[i].use[k]) || hold(held, ops[i].use[k]))
            continue;
        const struct op *comparison = comparison_of(low, ops, i, ops[i].use[k]);
        if (comparison && !append(low, comparison))
            return false;
    }
    if (is_predicate(low, ops[i].def[0]))
        hold(held, ops[i].def[0]);
    return append(low, &ops[i]);
}

bool lower_predicates(struct lowering *low, uint32_t first)
{
    const uint32_t n = low->out->nops - first;
    uint32_t predicates = 0;
    for (uint32_t i = 0; i < n; i++)
        predicates += is_predicate(low, low->out->ops[first + i].def[0]);
    struct op *ops = predicates > PREDICATES ? malloc(n * sizeof *ops) : NULL;
    if (!ops)
        return predicates <= PREDICATES;
    struct held held = {.count = 0};
    bool is_fine = true;
    memcpy(ops, low->out->ops + first, n * sizeof *ops);
    low->out->nops = first;
    for (uint32_t i = 0; is_fine && i < n; i++)
        is_fine = append_with_predicates(low, ops, i, &held);
    free(ops);
    return is_fine;
}
