/* lower.c - a decoded function becomes machine operations in the order of issue: the passes, and what they leave.
 * Each instruction's operations stand together until lower_order() puts a segment into its order.
 * What an instruction becomes is lower_table.c's, what vanishes lower_merge.c's. */
#include "model/lower.h"

#include <stdlib.h>
#include <string.h>

#include "model/lower_internal.h"

static struct op *add_op(struct lowering *low)
{
    struct lowered *out = low->out;
    if (out->nops == low->capacity) {
        const uint32_t capacity = low->capacity ? low->capacity * 2 : 256;
        struct op *ops = realloc(out->ops, capacity * sizeof *ops);
        if (!ops)
            return NULL;
        out->ops = ops;
        low->capacity = capacity;
    }
    struct op *op = &out->ops[out->nops++];
    memset(op, 0, sizeof *op);
    memset(op->def, 0xff, sizeof op->def);
    memset(op->use, 0xff, sizeof op->use);
    memset(op->merged, 0xff, sizeof op->merged);
    op->memory = NO_PLACE;
    return op;
}

uint16_t lower_new_name(struct lowering *low)
{
    return low->nnames < NO_REGISTER ? (uint16_t)low->nnames++ : NO_REGISTER;
}

static void set_memory(const struct lowering *low, struct op *op, const struct node *node)
{
    const struct insn *insn = &low->function->code[op->insn];
    op->is_store = insn->is_store || (insn->is_atomic && !node->ndefs) || insn->is_async;
    op->memory = node->place;
    op->is_aggregated = node->is_aggregated;
    op->is_float = insn->is_atomic && strstr(insn->source->name, ".f") != NULL;
    memcpy(op->merged, node->merged, sizeof op->merged);
}

static void set_defs(const struct lowering *low, struct op *op, const struct node *node)
{
    for (uint32_t k = 0; k < node->ndefs && k < OP_DEFS; k++)
        op->def[k] = low->regs[node->def[k]].name;
}

/* Steps wait for each other; the first waits for the operands, the last gives the result. */
bool lower_append(struct lowering *low, uint32_t i)
{
    const struct node *node = &low->nodes[i];
    if (!node->recipe || node->is_gone || node->is_merged)
        return true;
    uint16_t between = NO_REGISTER;
    for (uint32_t k = 0; k < RECIPE_STEPS + 1 && node->steps[k].count; k++) {
        const bool is_last = k == RECIPE_STEPS || !node->steps[k + 1].count;
        struct op *op = add_op(low);
        if (!op)
            return false;
        op->insn = i;
        op->class = node->steps[k].class;
        op->count = node->steps[k].count;
        op->chain = node->steps[k].chain;
        if (k == 0 || op->class >= OP_GLOBAL)
            lower_uses(low, node, op->use, OP_USES - 1);
        for (uint32_t u = 0; u < OP_USES && between != NO_REGISTER; u++)
            if (op->use[u] == NO_REGISTER) {
                op->use[u] = between;
                break;
            }
        if (op->class >= OP_GLOBAL)
            set_memory(low, op, node);
        if (is_last)
            set_defs(low, op, node);
        else
            op->def[0] = between = lower_new_name(low);
    }
    return true;
}

/* A kernel begins with the stack pointer, the descriptor of global memory, and what lower_once.c has put there. */
static bool add_prologue(struct lowering *low)
{
    struct op *op = add_op(low);
    if (!op)
        return false;
    op->class = OP_UNIFORM;
    op->count = (uint8_t)(low->prologue + 2);
    op->chain = 1;
    return true;
}

static bool add_segment(struct lowering *low, struct segment *segment)
{
    segment->first_op = low->out->nops;
    if (segment->first_insn == 0 && low->function->ptx->is_entry && !add_prologue(low))
        return false;
    for (uint32_t i = segment->first_insn; i < segment->first_insn + segment->ninsns; i++)
        if (!lower_append(low, i))
            return false;
    segment->nops = low->out->nops - segment->first_op;
    return lower_order(low, segment);
}

static bool add_segments(struct lowering *low)
{
    for (uint32_t s = 0; s < low->out->nsegments; s++)
        if (!add_segment(low, &low->out->segments[s]))
            return false;
    const uint32_t nops = low->out->nops;
    for (uint32_t s = 0; s < low->out->nsegments; s++)
        if (!lower_unroll(low, &low->out->segments[s]))
            return false;
    low->out->nops = nops;
    low->out->nregisters = low->nnames;
    return true;
}

struct lowered *lower_function(const struct function *function)
{
    struct lowering low = {.function = function, .out = calloc(1, sizeof *low.out)};
    low.nodes = calloc(function->ncode + 1, sizeof *low.nodes);
    bool is_fine = low.out && low.nodes && lower_segments(&low) && lower_read(&low) && lower_varying(&low);
    if (is_fine) {
        lower_merge(&low);
        lower_vectors(&low);
        lower_once(&low);
        lower_uniform(&low);
        lower_flow(&low);
        lower_loads(&low);
        is_fine = add_segments(&low);
    }
    free(low.nodes);
    free(low.regs);
    if (is_fine)
        return low.out;
    lower_free(low.out);
    return NULL;
}

void lower_free(struct lowered *lowered)
{
    if (!lowered)
        return;
    free(lowered->segments);
    free(lowered->segment_of);
    free(lowered->ops);
    free(lowered);
}
