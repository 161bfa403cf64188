/* lower_uniform.c - which values are the same in all lanes of a warp, and what ptxas makes of it: integer work goes to the
 * uniform datapath, and atomics of a warp on one address are added up in registers first.
 * A value is varying if it comes from the lane's own number, from memory or other lanes, or from a way that only some
 * lanes may have taken. */
#include <stdlib.h>
#include <string.h>

#include "model/lower_internal.h"

static bool is_varying_special(const char *name)
{
    return strncmp(name, "%tid", 4) == 0 || strncmp(name, "%lane", 5) == 0 ||
           strncmp(name, "%clock", 6) == 0 || strncmp(name, "%globaltimer", 12) == 0;
}

/* True if its results differ between lanes whatever its operands are. */
static bool makes_varying(const struct lowering *low, const struct node *node)
{
    const struct insn *insn = &low->function->code[node - low->nodes];
    const struct ptx_insn *in = insn->source;
    if (node->recipe->shape == SHAPE_MEMORY || insn->class == CLASS_WARP)
        return true;
    for (uint32_t k = 0; k < in->noperands; k++)
        if (in->operands[k].kind == PTX_OP_SREG && is_varying_special(in->operands[k].name))
            return true;
    return false;
}

static bool uses_varying(const struct lowering *low, const struct node *node)
{
    for (uint32_t k = 0; k < node->nuses; k++)
        if (low->regs[node->use[k]].is_varying)
            return true;
    return false;
}

static bool uses_own(const struct lowering *low, const struct node *node)
{
    for (uint32_t k = 0; k < node->nuses; k++)
        if (low->regs[node->use[k]].is_own)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------- ways that part */

/* What lies between a branch that lanes may take differently and the place where they meet again: one more way is open from
 * its begin on, one less from its end on. */
static void mark_parted(const struct lowering *low, uint32_t i, int32_t *opened)
{
    const struct insn *insn = &low->function->code[i];
    const uint32_t first = insn->branch.target < i ? insn->branch.target : i + 1;
    const uint32_t end = insn->branch.join == NO_JOIN ? low->function->ncode
                         : insn->branch.join > i      ? insn->branch.join
                                                      : i + 1;
    opened[first]++;
    opened[end]--;
}

bool lower_parts(const struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    return insn->flow == FLOW_BRANCH && insn->source && insn->source->guard >= 0 &&
           insn->source->guard < NO_REGISTER && low->regs[insn->source->guard].is_varying;
}

/* One pass. A register with one definition has one value; one with several has that of the way taken. */
static bool spread_varying(struct lowering *low, int32_t *opened)
{
    const uint32_t n = low->function->ncode;
    bool is_changed = false;
    int32_t open = 0;
    memset(opened, 0, (n + 1) * sizeof *opened);
    for (uint32_t i = 0; i < n; i++)
        if (lower_parts(low, i))
            mark_parted(low, i, opened);
    for (uint32_t i = 0; i < n; i++) {
        const struct node *node = &low->nodes[i];
        const bool makes = node->recipe && node->ndefs && makes_varying(low, node);
        const bool varies = makes || (node->recipe && uses_varying(low, node));
        const bool is_own = makes || (node->recipe && uses_own(low, node));
        open += opened[i];
        for (uint32_t k = 0; k < node->ndefs; k++) {
            struct reg *reg = &low->regs[node->def[k]];
            const bool is_varying = varies || (reg->ndefs > 1 && open);
            is_changed |= (is_varying && !reg->is_varying) || (is_own && !reg->is_own);
            reg->is_varying |= is_varying;
            reg->is_own |= is_own;
        }
    }
    return is_changed;
}

/* Code that runs from its end to its begin takes as many rounds as it has instructions: after some seconds of them, any
 * register may vary. */
bool lower_varying(struct lowering *low)
{
    enum { MAX_VISITS = 1 << 26 };
    const uint32_t n = low->function->ncode;
    int32_t *opened = malloc((n + 1) * sizeof *opened);
    if (!opened)
        return false;
    uint64_t visits = 0;
    bool is_changed = true;
    for (; is_changed && visits < MAX_VISITS; visits += n)
        is_changed = spread_varying(low, opened);
    for (uint32_t r = 0; is_changed && r < low->nregs; r++)
        low->regs[r].is_varying = low->regs[r].is_own = true;
    free(opened);
    return true;
}

/* ------------------------------------------------------------------------------------------- what follows */

static bool is_integer(char letter)
{
    return letter == 'i' || letter == 'l';
}

/* Integer work that is the same in all lanes is done once for the warp. Comparisons, and what is more than one operation
 * of a kind, stay with the lanes; so do loop counters. */
static void use_uniform_path(const struct lowering *low, struct node *node)
{
    if (!node->ndefs || low->regs[node->def[0]].is_varying || low->regs[node->def[0]].ndefs != 1 ||
        node->recipe->shape == SHAPE_COMPARE || !is_integer(node->from) || !is_integer(node->to))
        return;
    for (const struct recipe_step *step = node->steps; step->count; step++)
        if (step->class != OP_ALU && step->class != OP_IMAD && step->class != OP_IMAD_WIDE &&
            step->class != OP_EITHER)
            return;
    for (struct recipe_step *step = node->steps; step->count; step++)
        step->class = OP_UNIFORM;
}

/* What an atomic adds, or the like: the last operand. */
static bool value_varies(const struct lowering *low, const struct node *node)
{
    const struct ptx_insn *in = low->function->code[node - low->nodes].source;
    const struct ptx_operand *value = &in->operands[in->noperands - 1];
    return value->kind == PTX_OP_REG && value->reg < low->nregs && low->regs[value->reg].is_varying;
}

/* Integer atomics of a warp on one address: the lanes vote, reduce, and one goes to memory. 64-bit values are not
 * reduced, but one value for all lanes is multiplied. */
static bool can_aggregate(const struct lowering *low, const struct node *node)
{
    if (!node->can_aggregate)
        return false;
    const bool is_good = node->from == 'i' || (node->from == 'l' && !value_varies(low, node));
    return is_good && (node->base == NO_REGISTER || !low->regs[node->base].is_varying);
}

/* A value that differs is reduced on the way; one that does not is multiplied by the number of lanes. */
static void aggregate(struct lowering *low, struct node *node)
{
    const bool differs = value_varies(low, node);
    const bool returns = node->ndefs && low->regs[node->def[0]].nuses;
    node->is_aggregated = true;
    node->steps[0] = (struct recipe_step){OP_VOTE, differs ? 2 : 1, 1};
    node->steps[1] = (struct recipe_step){differs ? OP_UNIFORM : OP_SFU, 1, 1};
    node->steps[2] = (struct recipe_step){OP_ALU, 3, 2};
    node->steps[3] = (struct recipe_step){node->access, 1, 1};
    if (returns) {
        node->steps[4] = (struct recipe_step){OP_SHUFFLE, 1, 1};
        node->steps[5] = (struct recipe_step){OP_ALU, 3, 2};
    }
}

/* A constant that all lanes want is an operand, or comes through the uniform datapath. */
static void read_for_warp(const struct lowering *low, struct node *node)
{
    if (node->recipe->shape != SHAPE_MEMORY || node->access != OP_CONST || node->base == NO_REGISTER ||
        low->regs[node->base].is_own)
        return;
    for (struct recipe_step *step = node->steps; step->count; step++)
        step->class = step->class == OP_CONST ? OP_UNIFORM : step->class;
    node->access = OP_UNIFORM;
}

void lower_uniform(struct lowering *low)
{
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        struct node *node = &low->nodes[i];
        if (!node->recipe)
            continue;
        if (node->recipe->shape == SHAPE_MEMORY && can_aggregate(low, node))
            aggregate(low, node);
        read_for_warp(low, node);
        use_uniform_path(low, node);
    }
}
