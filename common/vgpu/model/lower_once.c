/* lower_once.c - what a kernel reads once, however often the PTX does: special registers, and parameters and constants at
 * fixed places, eight bytes at a time.
 * The first reader pays; the others take its value. Nothing here looks at where in the flow they stand: ptxas moves such
 * reads to where they are needed. */
#include <string.h>

#include "model/lower_internal.h"

struct once {
    const void *key;
    int64_t offset;
    uint16_t reg;
};
enum { ONCE_ROWS = 64 };
struct once_table {
    struct once rows[ONCE_ROWS];
    uint32_t count;
};

static const struct once *find_once(const struct once_table *table, const void *key, int64_t offset)
{
    for (uint32_t k = 0; k < table->count; k++)
        if (table->rows[k].key == key && table->rows[k].offset == offset)
            return &table->rows[k];
    return NULL;
}

/* The second reader takes the first one's value. */
static void read_once(struct lowering *low, struct once_table *table, struct node *node, const void *key,
                      int64_t offset)
{
    const struct once *row = find_once(table, key, offset);
    if (node->ndefs != 1 || lower_definition(low, node->def[0]) != node)
        return;
    if (row) {
        node->is_gone = true;
        node->nuses = 1;
        node->use[0] = row->reg;
    } else if (table->count < ONCE_ROWS) {
        table->rows[table->count++] = (struct once){key, offset, node->def[0]};
    }
}

/* A key for a special register: its row here. Others (clocks) are read each time. */
static const char *special_key(const char *name)
{
    static const char *const names[] = {"%tid.x",    "%tid.y",    "%tid.z",   "%ntid.x",  "%ntid.y",
                                        "%ntid.z",   "%ctaid.x",  "%ctaid.y", "%ctaid.z", "%nctaid.x",
                                        "%nctaid.y", "%nctaid.z", "%laneid"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], name) == 0)
            return names[k];
    return NULL;
}

static enum ptx_space symbol_space(const struct lowering *low, const struct ptx_operand *operand)
{
    const struct ptx_var *var =
        operand->kind == PTX_OP_VAR ? operand->var : ptx_find_var(low->function->module->ptx, operand->name);
    return var ? var->space : PTX_GENERIC;
}

/* Addresses of shared arrays need the block's window: three operations, at the beginning. */
static void use_window(struct lowering *low)
{
    enum { WINDOW = 3 };
    low->prologue = low->prologue < WINDOW ? low->prologue + WINDOW : low->prologue;
}

static void merge_symbol(struct lowering *low, struct node *node, enum ptx_space space)
{
    if (space == PTX_SHARED)
        use_window(low);
    if (space == PTX_SHARED || space == PTX_PARAM)
        node->is_gone = node->ndefs && lower_definition(low, node->def[0]) == node;
}

/* Parameters of a kernel and constants at fixed places; a parameter's address may have come through a register. What a
 * function is given, and gets back, lies in registers. */
static void merge_constant(struct lowering *low, struct once_table *table, struct node *node,
                           const struct insn *insn)
{
    static const char params[] = "param", constants[] = "const";
    if (insn->class == CLASS_PARAM && (!low->function->ptx->is_entry || insn->is_argument))
        node->is_gone = node->ndefs && lower_definition(low, node->def[0]) == node;
    else if (node->base != NO_REGISTER)
        read_once(low, table, node, &low->regs[node->base], node->offset / 8);
    else
        read_once(low, table, node, insn->class == CLASS_PARAM ? params : constants, insn->imm / 8);
}

static void merge_read(struct lowering *low, struct once_table *table, struct node *node)
{
    const struct insn *insn = &low->function->code[node - low->nodes];
    const struct ptx_operand *operand = insn->source->noperands > 1 ? &insn->source->operands[1] : NULL;
    if (!operand)
        return;
    const bool is_symbol = operand->kind == PTX_OP_VAR || operand->kind == PTX_OP_SYMBOL;
    if (node->recipe->shape == SHAPE_CONSTANT)
        merge_constant(low, table, node, insn);
    else if (operand->kind == PTX_OP_SREG && special_key(operand->name))
        read_once(low, table, node, special_key(operand->name), 0);
    else if (is_symbol)
        merge_symbol(low, node, symbol_space(low, operand));
}

void lower_once(struct lowering *low)
{
    struct once_table table = {.count = 0};
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        struct node *node = &low->nodes[i];
        if (!node->recipe)
            continue;
        if (node->recipe->shape == SHAPE_MOVE || node->recipe->shape == SHAPE_CONSTANT)
            merge_read(low, &table, node);
        else if (node->recipe->shape == SHAPE_MEMORY && node->access == OP_SHARED &&
                 node->base == NO_REGISTER)
            use_window(low);
    }
}
