/* lower_emit.c - the machine operations of one instruction, appended to those that are there.
 * They stand in the order of the program: lower_order.c puts them into the order of issue. */
#include <string.h>

#include "base/list.h"
#include "model/lower_internal.h"

struct op *lower_new_op(struct lowering *low)
{
    struct lowered *out = low->out;
    struct op *ops = list_reserve(out->ops, &low->capacity, out->nops + 1, sizeof *ops);
    if (!ops)
        return NULL;
    out->ops = ops;
    struct op *op = &out->ops[out->nops++];
    memset(op, 0, sizeof *op);
    memset(op->def, 0xff, sizeof op->def);
    memset(op->use, 0xff, sizeof op->use);
    memset(op->merged, 0xff, sizeof op->merged);
    op->guard = NO_REGISTER;
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
    op->is_float = node->is_float_atomic;
    op->is_loop = node->is_loop;
    memcpy(op->merged, node->merged, sizeof op->merged);
}

static void set_defs(const struct lowering *low, struct op *op, const struct node *node)
{
    const bool is_unread =
        low->function->code[op->insn].is_atomic && node->ndefs == 1 &&
        low->regs[node->def[0]].nuses == 0; /* of an atomic operation nobody wants the old value */
    for (uint32_t k = 0; k < node->ndefs && k < OP_DEFS && !is_unread; k++)
        op->def[k] = low->regs[node->def[k]].name;
}

static void add_use(struct op *op, uint16_t reg)
{
    for (uint32_t u = 0; u < OP_USES; u++)
        if (op->use[u] == NO_REGISTER) {
            op->use[u] = reg;
            return;
        }
}

/* By how their names begin. A barrier that is an object waits for the copies that arrive there. */
static const struct {
    const char *begin;
    enum op_copy copy;
} copies[] = {
    {"cp.async.ca.", COPY_START},  {"cp.async.cg.", COPY_START},      {"cp.async.commit_group", COPY_COMMIT},
    {"cp.async.wait_", COPY_WAIT}, {"mbarrier.test_wait", COPY_WAIT}, {"mbarrier.try_wait", COPY_WAIT},
};

static void set_copy(struct op *op, const struct ptx_insn *source)
{
    for (size_t i = 0; source && i < sizeof copies / sizeof *copies; i++)
        if (strncmp(source->name, copies[i].begin, strlen(copies[i].begin)) == 0)
            op->copy = (uint8_t)copies[i].copy;
    const struct ptx_operand *behind = source && source->noperands == 1 ? &source->operands[0] : NULL;
    if (op->copy == COPY_WAIT && behind && behind->kind == PTX_OP_INT)
        op->behind = (uint8_t)(behind->bits < UINT8_MAX ? behind->bits : UINT8_MAX);
}

/* Of two predicates that one comparison combines, the later one's. */
static void set_guard(const struct lowering *low, struct op *op, const struct node *node)
{
    if (node->guard == NO_REGISTER)
        return;
    const struct node *source = lower_definition(low, node->guard);
    uint16_t use[OP_USES];
    const uint32_t count = source && source->is_gone ? lower_uses(low, source, use, OP_USES) : 0;
    op->guard = count ? use[count - 1] : low->regs[node->guard].name;
    for (uint32_t u = 0; u < OP_USES; u++)
        if (op->use[u] == op->guard)
            return;
    add_use(op, op->guard);
}

/* The k-th step of a node; *between: the register by which the step before gives its result to it. False: no memory. */
static bool add_step(struct lowering *low, uint32_t i, uint32_t k, uint16_t *between)
{
    const struct node *node = &low->nodes[i];
    const struct recipe_step *step = &node->steps[k];
    const bool is_last = k == RECIPE_STEPS || !node->steps[k + 1].count;
    struct op *op = lower_new_op(low);
    if (!op)
        return false;
    op->insn = i;
    op->class = step->class;
    op->count = step->count;
    op->chain = step->chain;
    if (k == 0 || op->class >= OP_GLOBAL) {
        lower_uses(low, node, op->use,
                   OP_USES - 2); /* room for the guard, and for what comes from the step before */
        set_guard(low, op, node);
    }
    if (*between != NO_REGISTER)
        add_use(op, *between);
    if (op->class >= OP_GLOBAL)
        set_memory(low, op, node);
    set_copy(op, low->function->code[i].source);
    if (is_last)
        set_defs(low, op, node);
    else
        op->def[0] = *between = lower_new_name(low);
    return true;
}

/* Steps wait for each other; the first waits for the operands, the last gives the result. */
bool lower_append(struct lowering *low, uint32_t i)
{
    const struct node *node = &low->nodes[i];
    uint16_t between = NO_REGISTER;
    if (!node_is_issued(node))
        return true;
    for (uint32_t k = 0; k < RECIPE_STEPS + 1 && node->steps[k].count; k++)
        if (!add_step(low, i, k, &between))
            return false;
    return true;
}
