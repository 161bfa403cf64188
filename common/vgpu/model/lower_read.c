/* lower_read.c - PTX instructions become nodes: what they define and use, their address, their recipe.
 * Registers are the PTX's own, not the slots that decode.c packs them into: shared slots would look like dependencies.
 * A guard counts as a use, and so do the destinations of a guarded instruction, which keep their values in some lanes.
 * Nothing is merged here. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "model/lower_internal.h"

static void add_register(uint16_t *list, uint8_t *count, uint8_t limit, uint32_t reg)
{
    if (*count < limit && reg < NO_REGISTER)
        list[(*count)++] = (uint16_t)reg;
}

static void add_uses(struct node *node, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OP_REG:
        add_register(node->use, &node->nuses, NODE_USES, operand->reg);
        break;
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
        node->has_literal = true;
        node->literal = (int64_t)operand->bits;
        break;
    case PTX_OP_ADDRESS:
    case PTX_OP_LIST:
    case PTX_OP_PAIR:
        for (uint32_t k = 0; k < operand->count; k++)
            add_uses(node, &operand->list[k]);
        break;
    default:
        break;
    }
}

static void add_defs(struct node *node, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OP_REG)
        add_register(node->def, &node->ndefs, NODE_DEFS, operand->reg);
    if (operand->kind == PTX_OP_LIST || operand->kind == PTX_OP_PAIR)
        for (uint32_t k = 0; k < operand->count; k++)
            add_defs(node, &operand->list[k]);
}

static void add_address(struct node *node, const struct ptx_operand *operand)
{
    if (operand->kind != PTX_OP_ADDRESS || !operand->count)
        return;
    const struct ptx_operand *base = &operand->list[0];
    node->base = base->kind == PTX_OP_REG && base->reg < NO_REGISTER ? (uint16_t)base->reg : NO_REGISTER;
    node->symbol = base->kind == PTX_OP_VAR ? (const void *)base->var : base->name;
    node->offset =
        (int64_t)((uint64_t)operand->offset + (uint64_t)base->offset); /* as addresses, it may go round */
}

/* Most write their first operand; these read it, or it is no register. */
static bool has_dest(const struct node *node, const struct opcode *opcode, const struct ptx_insn *in)
{
    const bool is_barrier = strncmp(opcode->parts[0], "bar", 3) == 0 && !opcode_has(opcode, "red");
    return in->noperands && node->recipe->shape != SHAPE_BRANCH && !is_barrier &&
           in->operands[0].kind != PTX_OP_ADDRESS;
}

static void read_operands(struct node *node, const struct opcode *opcode, const struct ptx_insn *in)
{
    uint32_t k = has_dest(node, opcode, in);
    if (k)
        add_defs(node, &in->operands[0]);
    for (; k < in->noperands; k++)
        add_uses(node, &in->operands[k]);
    for (uint32_t at = 0; at < in->noperands && at < 2; at++)
        add_address(node, &in->operands[at]);
    if (in->guard < 0)
        return;
    add_register(node->use, &node->nuses, NODE_USES, (uint32_t)in->guard);
    node->guard = in->guard < NO_REGISTER ? (uint16_t)in->guard : NO_REGISTER;
    for (uint32_t d = 0; d < node->ndefs; d++)
        add_register(node->use, &node->nuses, NODE_USES, node->def[d]);
}

static const uint8_t space_classes[PTX_SPACES] = {
    [PTX_GENERIC] = OP_GLOBAL, [PTX_GLOBAL] = OP_GLOBAL, [PTX_CONST] = OP_CONST,
    [PTX_SHARED] = OP_SHARED,  [PTX_LOCAL] = OP_LOCAL,   [PTX_PARAM] = OP_CONST,
};

static void read_memory(struct node *node, const struct insn *insn)
{
    static const struct recipe fixed = {.shape = SHAPE_CONSTANT};
    uint32_t at = 0;
    node->access = insn->class == CLASS_TEXTURE ? OP_TEXTURE : space_classes[insn->space];
    if (node->access == OP_CONST && node->base == NO_REGISTER) {
        node->recipe = &fixed;
        node->access = OP_UNIFORM;
    }
    if ((insn->is_store || insn->is_atomic) && node->has_literal && node->literal)
        node->steps[at++] = (struct recipe_step){OP_ALU, 1, 1}; /* what is stored stands in a register */
    node->steps[at++] = (struct recipe_step){node->access, 1, 1};
    if (insn->is_signed && !insn->is_store && insn->width < 8 && insn->dsize == 8)
        node->steps[at] = (struct recipe_step){OP_ALU, 1, 1}; /* the upper half */
}

/* All that passes behind this one want to know of the opcode's words. */
static void read_facts(struct node *node, const struct insn *insn)
{
    static const char *const alone[] = {".cas", ".exch", ".inc", ".dec"};
    const char *name = insn->source->name;
    node->is_unsigned = strstr(name, ".u") != NULL;
    node->is_equality = strncmp(name, "setp.eq", 7) == 0 || strncmp(name, "setp.ne", 7) == 0;
    node->is_float_atomic = insn->is_atomic && strstr(name, ".f") != NULL;
    node->is_loop = insn->is_swap_loop;
    node->can_aggregate = insn->is_atomic;
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        node->can_aggregate = node->can_aggregate && !strstr(name, alone[k]);
}

static void read_insn(struct node *node, const struct insn *insn)
{
    struct opcode opcode;
    node->base = node->guard = NO_REGISTER;
    memset(node->merged, 0xff, sizeof node->merged);
    if (!insn->id || !insn->source || !opcode_split(&opcode, insn->source->name))
        return;
    node->recipe = recipe_find(&opcode, &node->from, &node->to);
    memcpy(node->steps, node->recipe->steps, sizeof node->recipe->steps);
    read_facts(node, insn);
    read_operands(node, &opcode, insn->source);
    if (node->recipe->shape == SHAPE_MEMORY)
        read_memory(node, insn);
    for (uint32_t k = 0; insn_calls_pointer(insn) && k < RECIPE_STEPS; k++)
        node->steps[k].class = node->steps[k].class == OP_BRANCH ? OP_JUMP : node->steps[k].class;
}

static void count_node(struct lowering *low, uint32_t i)
{
    const struct node *node = &low->nodes[i];
    for (uint32_t k = 0; k < node->ndefs; k++) {
        low->regs[node->def[k]].ndefs++;
        low->regs[node->def[k]].def = i;
    }
    for (uint32_t k = 0; k < node->nuses; k++) {
        struct reg *reg = &low->regs[node->use[k]];
        reg->nuses++;
        reg->sums += node->recipe->shape == SHAPE_ADD;
        reg->stored += node->recipe->shape == SHAPE_MEMORY && node->use[k] != node->base;
        reg->bases += node->recipe->shape == SHAPE_MEMORY && node->use[k] == node->base;
    }
}

bool lower_read(struct lowering *low)
{
    const struct function *function = low->function;
    low->nregs = (uint32_t)function->ptx->nregs < NO_REGISTER ? (uint32_t)function->ptx->nregs : NO_REGISTER;
    low->nnames = low->nregs;
    low->regs = calloc(low->nregs + 1, sizeof *low->regs);
    if (!low->regs)
        return false;
    for (uint32_t r = 0; r < low->nregs; r++)
        low->regs[r].name = (uint16_t)r;
    for (uint32_t i = 0; i < function->ncode; i++) {
        read_insn(&low->nodes[i], &function->code[i]);
        count_node(low, i);
    }
    return true;
}
