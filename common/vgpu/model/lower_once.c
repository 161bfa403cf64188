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
    uint32_t window; /* the segment that has computed the window of shared memory, plus one */
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

enum { WINDOW = 3 }; /* operations for the block's window, which addresses of shared arrays need */

static bool is_in_loop(const struct lowering *low, uint32_t at)
{
    for (uint32_t i = at; i < low->function->ncode; i++)
        if (low->function->code[i].flow == FLOW_BRANCH && low->function->code[i].branch.target <= at)
            return true;
    return false;
}

/* The window is computed at the beginning; and once more where it is wanted in another place, since that is cheaper than to
 * keep it. For loops it is kept. True: this is such a place. */
static bool needs_window(struct lowering *low, struct once_table *table, const struct node *node)
{
    const uint32_t at = (uint32_t)(node - low->nodes), segment = low->out->segment_of[at] + 1;
    const bool is_first = !table->window;
    if (table->window == segment || (!is_first && is_in_loop(low, at)))
        return false;
    table->window = segment;
    low->prologue = (uint8_t)(low->prologue + (is_first ? WINDOW : 0));
    return !is_first;
}

static void merge_symbol(struct lowering *low, struct once_table *table, struct node *node,
                         enum ptx_space space)
{
    if (space == PTX_SHARED && needs_window(low, table, node))
        node->steps[0] = (struct recipe_step){OP_UNIFORM, WINDOW, 1};
    else if (space == PTX_SHARED || space == PTX_PARAM)
        node->is_gone = node->ndefs && lower_definition(low, node->def[0]) == node;
}

/* An access to a fixed place of shared memory. */
static void merge_fixed(struct lowering *low, struct once_table *table, struct node *node)
{
    if (!needs_window(low, table, node))
        return;
    memmove(node->steps + 1, node->steps, RECIPE_STEPS * sizeof *node->steps);
    node->steps[0] = (struct recipe_step){OP_UNIFORM, WINDOW, 1};
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
        merge_symbol(low, table, node, symbol_space(low, operand));
}

void lower_once(struct lowering *low)
{
    struct once_table table = {.count = 0};
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        struct node *node = &low->nodes[i];
        if (!node->recipe || node->is_merged)
            continue;
        if (node->recipe->shape == SHAPE_MOVE || node->recipe->shape == SHAPE_CONSTANT)
            merge_read(low, &table, node);
        else if (node->recipe->shape == SHAPE_MEMORY && node->access == OP_SHARED &&
                 node->base == NO_REGISTER)
            merge_fixed(low, &table, node);
    }
}
