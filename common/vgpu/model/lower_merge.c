/* lower_merge.c - which instructions of PTX become one machine instruction: copies vanish, additions take in shifts and
 * products, logic takes in logic, comparisons take in the predicate they are combined with.
 * A node that is gone has passed its work to its readers; lower_uses() sees through it. */
#include <string.h>

#include "decode/decode_internal.h"
#include "model/lower_internal.h"

struct node *lower_definition(const struct lowering *low, uint16_t reg)
{
    return low->regs[reg].ndefs == 1 ? &low->nodes[low->regs[reg].def] : NULL;
}

/* ------------------------------------------------------------------------------------------- seeing through */

/* Sources of sources of sources: how deep, and how many in all. */
enum { MAX_DEPTH = 16, MAX_VISITS = 1 << 12 };

struct gathering {
    uint16_t *use;
    uint32_t count, limit, visits;
};

static void add_use(struct gathering *to, uint16_t name)
{
    for (uint32_t k = 0; k < to->count; k++)
        if (to->use[k] == name)
            return;
    if (to->count < to->limit)
        to->use[to->count++] = name;
}

static void gather_uses(const struct lowering *low, const struct node *node, struct gathering *to, int depth)
{
    for (uint32_t k = 0; k < node->nuses && to->visits < MAX_VISITS; k++, to->visits++) {
        const struct node *source = lower_definition(low, node->use[k]);
        if (source && source->is_gone && depth)
            gather_uses(low, source, to, depth - 1);
        else
            add_use(to, low->regs[node->use[k]].name);
    }
}

uint32_t lower_uses(const struct lowering *low, const struct node *node, uint16_t use[], uint32_t limit)
{
    struct gathering to = {.use = use, .limit = limit};
    gather_uses(low, node, &to, MAX_DEPTH);
    return to.count;
}

static void replace_steps(struct node *node, uint8_t class, uint8_t count, uint8_t chain)
{
    memset(node->steps, 0, sizeof node->steps);
    node->steps[0] = (struct recipe_step){class, count, chain};
}

static uint32_t segment_at(const struct lowering *low, const struct node *node)
{
    return low->out->segment_of[node - low->nodes];
}

/* ------------------------------------------------------------------------------------------- moves */

/* Of pieces longer than any loop's body, yes is the answer that does no harm. */
static bool is_read_between(const struct lowering *low, uint16_t reg, uint32_t first, uint32_t end)
{
    enum { LONGEST = 1 << 14 };
    if (end - first > LONGEST)
        return true;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < low->nodes[i].nuses; k++)
            if (low->nodes[i].use[k] == reg)
                return true;
    return false;
}

/* The copy at the end of a loop: the value is computed into the loop's own register, unless somebody still reads the old
 * value after the new one is there, or others want the new one too. */
static void merge_loop_copy(struct lowering *low, struct node *node)
{
    const uint32_t here = (uint32_t)(node - low->nodes);
    struct reg *from = &low->regs[node->use[0]];
    const struct node *source = lower_definition(low, node->use[0]);
    const bool is_own = source && !source->is_gone && from->nuses == 1 && from->def < here &&
                        segment_at(low, source) == segment_at(low, node);
    if (!is_own || is_read_between(low, node->def[0], from->def + 1, here)) {
        replace_steps(node, OP_EITHER, node->from == 'l' || node->from == 'd' ? 2 : 1, 1);
        return;
    }
    from->name = low->regs[node->def[0]].name;
    node->recipe = NULL;
}

static bool is_operand_kind(const struct lowering *low, const struct node *node, enum ptx_operand_kind kind)
{
    const struct ptx_insn *source = low->function->code[node - low->nodes].source;
    return source->noperands > 1 && source->operands[1].kind == kind;
}

/* Packing and unpacking move nothing: halves of registers get other names. */
static void merge_move(struct lowering *low, struct node *node)
{
    const bool is_alone = node->ndefs && lower_definition(low, node->def[0]) == node;
    if (is_operand_kind(low, node, PTX_OP_SREG))
        replace_steps(node, OP_UNIFORM, 1, 1);
    else if (is_operand_kind(low, node, PTX_OP_VAR) || is_operand_kind(low, node, PTX_OP_SYMBOL))
        replace_steps(node, OP_UNIFORM, 1, 1);
    else if (is_alone && !(node->has_literal && node->literal && low->regs[node->def[0]].stored))
        node->is_gone = true;
    else if (node->ndefs == 1 && node->nuses == 1)
        merge_loop_copy(low, node);
    else if (node->ndefs)
        replace_steps(node, OP_EITHER, 1, 1);
}

static void merge_copy(struct lowering *low, struct node *node)
{
    node->is_gone = node->ndefs && lower_definition(low, node->def[0]) == node;
    if (!node->is_gone)
        replace_steps(node, OP_EITHER, 1, 1);
}

/* A 64-bit shift by 32 or more: one half of the result is a half of the operand, the other is zero. */
static void merge_shift(struct lowering *low, struct node *node)
{
    if (node->from != 'l' || !node->has_literal || node->literal < 32)
        return;
    if (node->literal == 32)
        merge_copy(low, node);
    else
        replace_steps(node, OP_ALU, 1, 1);
}

/* ------------------------------------------------------------------------------------------- additions */

static void absorb(struct lowering *low, struct node *node, struct node *part)
{
    node->has_partner = true;
    part->nabsorbed++;
    part->is_gone = part->nabsorbed >= low->regs[part->def[0]].nuses;
}

/* A product or shift that only additions read is computed in each of them. */
static bool is_summand(const struct lowering *low, const struct node *part)
{
    const struct reg *reg = &low->regs[part->def[0]];
    if (part->is_gone || reg->nuses != reg->sums)
        return false;
    if (part->recipe->shape == SHAPE_SHIFT)
        return part->has_literal && part->nuses == 1;
    if (part->recipe->shape == SHAPE_RIGHT) /* the upper bits, for a division that rounds to zero */
        return part->has_literal && part->nuses == 1 && reg->nuses == 1 && part->is_unsigned &&
               (part->from == 'i' || part->literal >= 32);
    return part->recipe->shape == SHAPE_WIDE || (part->recipe->shape == SHAPE_PRODUCT && reg->nuses == 1);
}

/* (long)i << k and (long)i * c need no sign extension of their own: IMAD.WIDE does it. */
static bool widens(struct lowering *low, struct node *part)
{
    struct node *sign = part->nuses == 1 && part->from == 'l' ? lower_definition(low, part->use[0]) : NULL;
    if (part->recipe->shape == SHAPE_WIDE)
        return true;
    if (part->recipe->shape != SHAPE_SHIFT || !sign || sign->recipe->shape != SHAPE_SIGN ||
        low->regs[part->use[0]].nuses != 1)
        return false;
    sign->is_gone = true;
    return true;
}

static void take_summand(struct lowering *low, struct node *node, struct node *part)
{
    if (node->from == 'l' && widens(low, part))
        replace_steps(node, OP_IMAD_WIDE, 1, 1);
    else if (part->recipe->shape == SHAPE_PRODUCT)
        memcpy(node->steps, part->steps, sizeof node->steps);
    else if (node->from == 'i' && !low->regs[part->use[0]].is_varying)
        replace_steps(node, OP_IMAD, 1, 1); /* else a LEA */
    absorb(low, node, part);
}

/* a + b + c is one operation, if nobody else wants a + b. */
static bool is_inner_sum(const struct lowering *low, const struct node *node, const struct node *part)
{
    return part->recipe->shape == SHAPE_ADD && !part->has_partner && !part->is_gone &&
           part->from == node->from && low->regs[part->def[0]].nuses == 1 &&
           segment_at(low, part) == segment_at(low, node);
}

static void merge_sum(struct lowering *low, struct node *node)
{
    if (node->has_literal && low->regs[node->def[0]].bases == low->regs[node->def[0]].nuses &&
        lower_definition(low, node->def[0]) == node) {
        node->is_gone = true; /* the offset of an address */
        return;
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < node->nuses && !node->has_partner; k++) {
            struct node *part = lower_definition(low, node->use[k]);
            if (!part)
                continue;
            if (pass == 0 && is_summand(low, part))
                take_summand(low, node, part);
            else if (pass == 1 && is_inner_sum(low, node, part))
                absorb(low, node, part);
        }
    if (node->from == 'i' && !node->has_literal && !node->has_partner)
        replace_steps(node, OP_EITHER, 1, 1);
}

/* A minimum or maximum of a sum is one operation. */
static void merge_extreme(struct lowering *low, struct node *node)
{
    for (uint32_t k = 0; k < node->nuses && !node->has_partner; k++) {
        struct node *part = lower_definition(low, node->use[k]);
        if (part && is_inner_sum(low, node, part))
            absorb(low, node, part);
    }
}

/* A product of a register and a literal; the literal may have come through a register of its own. */
struct factors {
    uint16_t reg[2];
    uint32_t nregs;
    int64_t literal;
};

static struct factors factors_of(const struct lowering *low, const struct node *node)
{
    struct factors factors = {{NO_REGISTER, NO_REGISTER}, 0, node->literal};
    for (uint32_t k = 0; k < node->nuses && factors.nregs < 2; k++) {
        const struct node *source = lower_definition(low, node->use[k]);
        if (source && source->recipe && source->recipe->shape == SHAPE_MOVE && source->has_literal)
            factors.literal = source->literal;
        else
            factors.reg[factors.nregs++] = node->use[k];
    }
    return factors;
}

static bool has_same_factors(const struct lowering *low, const struct node *a, const struct node *b)
{
    const struct factors x = factors_of(low, a), y = factors_of(low, b);
    return x.literal == y.literal && x.nregs == y.nregs && x.reg[0] == y.reg[0] && x.reg[1] == y.reg[1];
}

/* The low half comes with the high half of the same product, if that is wanted nearby. */
static void merge_product(struct lowering *low, struct node *node)
{
    enum { NEARBY = 16 };
    const uint32_t here = (uint32_t)(node - low->nodes), n = low->function->ncode;
    for (uint32_t i = here > NEARBY ? here - NEARBY : 0; i < here + NEARBY && i < n; i++) {
        const struct node *high = &low->nodes[i];
        if (!high->recipe || high->recipe->shape != SHAPE_HIGH || !has_same_factors(low, high, node) ||
            segment_at(low, high) != segment_at(low, node) || lower_definition(low, node->def[0]) != node)
            continue;
        node->is_gone = true;
        node->nuses = 1;
        node->use[0] = high->def[0];
        return;
    }
}

/* ------------------------------------------------------------------------------------------- logic */

static uint32_t input_count(const struct lowering *low, const struct node *node)
{
    uint16_t use[NODE_USES];
    return lower_uses(low, node, use, NODE_USES) + node->has_literal;
}

/* One machine instruction does any logic of three inputs. */
static void merge_logic(struct lowering *low, struct node *node)
{
    for (uint32_t k = 0; k < node->nuses; k++) {
        struct node *part = lower_definition(low, node->use[k]);
        if (!part || part->recipe->shape != SHAPE_LOGIC || part->is_gone || part->from == 'p' ||
            low->regs[node->use[k]].nuses != 1 || segment_at(low, part) != segment_at(low, node) ||
            input_count(low, node) - 1 + input_count(low, part) > 3)
            continue;
        node->has_literal |= part->has_literal;
        part->is_gone = true;
    }
}

/* A logic operation can say on the way whether its result is zero. */
static void merge_comparison(struct lowering *low, struct node *node)
{
    struct node *part = node->nuses == 1 ? lower_definition(low, node->use[0]) : NULL;
    const bool is_zero_test = node->has_literal && node->literal == 0 && node->is_equality;
    if (part && is_zero_test && part->recipe->shape == SHAPE_LOGIC && !part->is_gone && node->from == 'i' &&
        low->regs[node->use[0]].nuses == 1 && segment_at(low, part) == segment_at(low, node))
        part->is_gone = true;
}

/* The later of the two comparisons takes the other's result in. */
static void merge_junction(struct lowering *low, struct node *node)
{
    for (uint32_t k = node->nuses; k-- > 0;) {
        struct node *part = lower_definition(low, node->use[k]);
        if (!part || part->recipe->shape != SHAPE_COMPARE || part->has_partner ||
            low->regs[node->use[k]].nuses != 1 || segment_at(low, part) != segment_at(low, node))
            continue;
        part->has_partner = true;
        node->is_gone = true;
        return;
    }
}

/* ------------------------------------------------------------------------------------------- face */

typedef void merge_fn(struct lowering *low, struct node *node);
static merge_fn *const merges[] = {
    [SHAPE_COPY] = merge_copy,
    [SHAPE_MOVE] = merge_move,
    [SHAPE_ADD] = merge_sum,
    [SHAPE_LOGIC] = merge_logic,
    [SHAPE_JUNCTION] = merge_junction,
    [SHAPE_SHIFT] = merge_shift,
    [SHAPE_RIGHT] = merge_shift,
    [SHAPE_EXTREME] = merge_extreme,
    [SHAPE_PRODUCT] = merge_product,
    [SHAPE_COMPARE] = merge_comparison,
    [SHAPE_BRANCH] = NULL,
};

void lower_merge(struct lowering *low)
{
    for (uint32_t i = 0; i < low->function->ncode; i++) {
        struct node *node = &low->nodes[i];
        if (node->recipe && merges[node->recipe->shape])
            merges[node->recipe->shape](low, node);
    }
}
