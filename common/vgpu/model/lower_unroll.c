/* lower_unroll.c - ptxas unrolls short counted loops once more: four executions share one counter, and the loads of all
 * four can be under way at once.
 * Only loops of one segment are unrolled here: a barrier or a branch in the body ends a segment. The counter must be a
 * 32-bit register that moves by a literal towards something that the loop does not change. */
#include <stdlib.h>

#include "model/lower_internal.h"

enum { UNROLL = 4, MAX_BODY = 32 };

static uint32_t end_of(const struct segment *segment)
{
    return segment->first_insn + segment->ninsns;
}

static uint16_t name_of(const struct lowering *low, uint16_t reg)
{
    return low->regs[reg].name;
}

/* r = r + literal: in the copies of a body it becomes part of an offset. */
static bool is_stepping(const struct lowering *low, const struct node *node)
{
    return node->recipe && node->recipe->shape == SHAPE_ADD && node->has_literal && node->nuses == 1 &&
           node->ndefs == 1 && name_of(low, node->def[0]) == name_of(low, node->use[0]);
}

static const struct node *find_writer(const struct lowering *low, const struct segment *segment,
                                      uint16_t name)
{
    for (uint32_t i = end_of(segment); i-- > segment->first_insn;)
        for (uint32_t k = 0; k < low->nodes[i].ndefs; k++)
            if (low->nodes[i].recipe && name_of(low, low->nodes[i].def[k]) == name)
                return &low->nodes[i];
    return NULL;
}

static bool is_counted(const struct lowering *low, const struct segment *segment, const struct node *test)
{
    uint32_t counters = 0, others = 0;
    if (!test || test->recipe->shape != SHAPE_COMPARE || test->from != 'i')
        return false;
    for (uint32_t k = 0; k < test->nuses; k++) {
        const struct node *writer = find_writer(low, segment, name_of(low, test->use[k]));
        counters += writer && is_stepping(low, writer);
        others += writer && !is_stepping(low, writer);
    }
    return counters == 1 && !others;
}

static bool has_short_body(const struct lowering *low, const struct segment *segment)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < segment->nops; k++)
        count += low->out->ops[segment->first_op + k].count;
    for (uint32_t i = segment->first_insn; i < end_of(segment); i++)
        if (low->function->code[i].is_atomic || low->function->code[i].is_volatile)
            return false;
    return count <= MAX_BODY;
}

static bool is_rolled(const struct lowering *low, const struct segment *segment)
{
    for (uint32_t i = segment->first_insn; i < end_of(segment); i++)
        if (low->function->code[i].source && low->function->code[i].source->is_rolled)
            return true;
    return false;
}

/* The comparison that ends the loop; NULL: this is no loop that is unrolled. */
static const struct node *loop_test(const struct lowering *low, const struct segment *segment)
{
    const struct insn *last = &low->function->code[end_of(segment) - 1];
    if (is_rolled(low, segment) || last->flow != FLOW_BRANCH || last->branch.target != segment->first_insn ||
        last->source->guard < 0 || last->source->guard >= NO_REGISTER)
        return NULL;
    const struct node *test = find_writer(low, segment, name_of(low, (uint16_t)last->source->guard));
    return has_short_body(low, segment) && is_counted(low, segment, test) ? test : NULL;
}

/* ------------------------------------------------------------------------------------------- copies */

/* Registers of the body have other names in each copy but the last. */
static void rename_op(struct lowering *low, struct op *op, uint16_t *names, bool is_last)
{
    for (uint32_t k = 0; k < OP_USES && op->use[k] != NO_REGISTER; k++)
        op->use[k] = names[op->use[k]];
    for (uint32_t k = 0; k < OP_DEFS && op->def[k] != NO_REGISTER; k++) {
        names[op->def[k]] = is_last || op->def[k] >= low->nregs ? op->def[k] : lower_new_name(low);
        op->def[k] = names[op->def[k]];
    }
}

static void shift_places(struct op *op, uint32_t by)
{
    if (op->memory != NO_PLACE)
        op->memory = (uint16_t)(op->memory + by);
    for (uint32_t k = 0; k < OP_MERGED && op->merged[k] != NO_PLACE; k++)
        op->merged[k] = (uint16_t)(op->merged[k] + by);
}

static bool add_copy(struct lowering *low, const struct segment *segment, const struct node *test,
                     uint32_t copy, uint16_t *names)
{
    const uint32_t end = end_of(segment), first = low->out->nops;
    const bool is_last = copy == UNROLL - 1;
    for (uint32_t i = segment->first_insn; i < end; i++) {
        const struct node *node = &low->nodes[i];
        const bool is_once = node == test || i == end - 1 || is_stepping(low, node);
        if ((is_last || !is_once) && !lower_append(low, i))
            return false;
    }
    for (uint32_t k = first; k < low->out->nops; k++) {
        rename_op(low, &low->out->ops[k], names, is_last);
        shift_places(&low->out->ops[k], copy * segment->nmemory);
    }
    return true;
}

static bool order_copies(struct lowering *low, struct segment *segment)
{
    struct segment whole = *segment;
    whole.first_op = segment->first_unrolled;
    whole.nops = segment->nunrolled = low->out->nops - segment->first_unrolled;
    return lower_order(low, &whole);
}

bool lower_unroll(struct lowering *low, struct segment *segment)
{
    const struct node *test = loop_test(low, segment);
    if (!test || segment->nmemory * UNROLL >= NO_PLACE)
        return true;
    uint16_t *names = malloc((NO_REGISTER + 1) * sizeof *names);
    if (!names)
        return false;
    for (uint32_t r = 0; r <= NO_REGISTER; r++)
        names[r] = (uint16_t)r;
    segment->unroll = UNROLL;
    segment->first_unrolled = low->out->nops;
    bool is_fine = true;
    for (uint32_t copy = 0; is_fine && copy < UNROLL; copy++)
        is_fine = add_copy(low, segment, test, copy, names);
    free(names);
    return is_fine && order_copies(low, segment);
}
