/* lower_vectors.c - neighbouring accesses to shared or local memory become one of 8 or 16 bytes, and loads of constants one of
 * 8, as ptxas makes them.
 * Needs a common base, offsets that fill an aligned piece, a base whose alignment can be seen, and no other access to the
 * space between them that could matter. Global accesses stay as they are: ptxas does not touch them. */
#include <string.h>

#include "base/number.h"
#include "model/lower_internal.h"

enum { VECTOR_BYTES = 16, MAX_DEPTH = 8, REACH = 1 << 13 }; /* of registers; of instructions */

static uint32_t low_zeros(int64_t value)
{
    return value ? (uint32_t)__builtin_ctzll((uint64_t)value) : 63;
}

/* A question about the low bits of registers. */
struct bits {
    const struct lowering *low;
    uint16_t counter; /* the register whose definitions are being looked at; NO_REGISTER: none */
};

static uint32_t known_zeros(struct bits bits, uint16_t reg, int depth);

static uint32_t least_zeros(struct bits bits, const struct node *node, int depth)
{
    uint32_t zeros = node->has_literal ? low_zeros(node->literal) : 63;
    for (uint32_t k = 0; k < node->nuses; k++)
        zeros = smaller_of(zeros, known_zeros(bits, node->use[k], depth));
    return zeros;
}

/* mad.lo: the sum has no more than the addend, which comes last. */
static uint32_t product_zeros(struct bits bits, const struct node *node, int depth)
{
    uint32_t zeros = node->has_literal ? low_zeros(node->literal) : 0;
    zeros += node->nuses ? known_zeros(bits, node->use[0], depth) : 0;
    const bool has_addend = node->recipe->word && node->recipe->word[1] == 'a';
    return has_addend && node->nuses > 1
               ? smaller_of(zeros, known_zeros(bits, node->use[node->nuses - 1], depth))
               : zeros;
}

/* A literal, or the address of an array, which ptxas places: it sees to the alignment. Not a special register. */
static uint32_t constant_zeros(const struct lowering *low, const struct node *node)
{
    const struct ptx_insn *in = low->function->code[node - low->nodes].source;
    return in->operands[in->noperands - 1].kind == PTX_OP_SREG ? 0 : low_zeros(node->literal);
}

static uint32_t result_zeros(struct bits bits, const struct node *node, int depth)
{
    const char *word = node->recipe && node->recipe->word ? node->recipe->word : "";
    if (strcmp(word, "mul") == 0 || strcmp(word, "mad") == 0)
        return product_zeros(bits, node, depth);
    switch (node->recipe ? node->recipe->shape : SHAPE_MOVE) {
    case SHAPE_MOVE:
        return node->nuses ? known_zeros(bits, node->use[0], depth) : constant_zeros(bits.low, node);
    case SHAPE_SHIFT:
        return node->has_literal && node->nuses
                   ? (uint32_t)node->literal + known_zeros(bits, node->use[0], depth)
                   : 0;
    case SHAPE_COPY:
    case SHAPE_SIGN:
    case SHAPE_ADD:
        return least_zeros(bits, node, depth);
    case SHAPE_LOGIC:
        return node->has_literal && node->nuses == 1 && word[0] == 'a' ? low_zeros(node->literal) : 0;
    default:
        return 0;
    }
}

/* A register that a loop moves on has the zeros that both its start and its steps have. */
static uint32_t counter_zeros(struct bits bits, uint16_t reg, int depth)
{
    uint32_t zeros = 63;
    if (bits.counter != NO_REGISTER)
        return 0; /* one at a time */
    bits.counter = reg;
    for (uint32_t i = 0; i < bits.low->function->ncode && zeros; i++) {
        const struct node *node = &bits.low->nodes[i];
        for (uint32_t d = 0; d < node->ndefs; d++)
            if (node->def[d] == reg)
                zeros = smaller_of(zeros, result_zeros(bits, node, depth));
    }
    return zeros;
}

/* How many low bits of a register are certainly zero. */
static uint32_t known_zeros(struct bits bits, uint16_t reg, int depth)
{
    const struct node *node = lower_definition(bits.low, reg);
    if (reg == bits.counter)
        return 63; /* its other definitions decide */
    if (depth == 0 || !bits.low->regs[reg].ndefs)
        return 0;
    return node ? result_zeros(bits, node, depth - 1) : counter_zeros(bits, reg, depth - 1);
}

/* ------------------------------------------------------------------------------------------- pieces */

static const struct insn *insn_of(const struct lowering *low, uint32_t i)
{
    return &low->function->code[i];
}

static bool is_candidate(const struct lowering *low, uint32_t i)
{
    const struct node *node = &low->nodes[i];
    const struct insn *insn = insn_of(low, i);
    if (!node->recipe || node->recipe->shape != SHAPE_MEMORY || node->is_merged || insn->is_atomic ||
        insn->is_volatile || insn->guard || insn->count != 1 || node->merged[0] != NO_PLACE)
        return false;
    return node->access == OP_CONST ? insn->width == 4
                                    : (node->access == OP_SHARED || node->access == OP_LOCAL) &&
                                          (insn->width == 4 || insn->width == 8);
}

/* Another access to the space, one of which is a store: order matters. */
static bool is_between(const struct lowering *low, uint32_t i, const struct node *first, bool is_store)
{
    const struct node *node = &low->nodes[i];
    return node->recipe && node->recipe->shape == SHAPE_MEMORY && node->access == first->access &&
           (is_store || insn_of(low, i)->is_store || insn_of(low, i)->is_atomic);
}

static bool is_same_object(const struct node *a, const struct node *b)
{
    return a->base == b->base && (a->base != NO_REGISTER || a->symbol == b->symbol);
}

/* The instruction of the segment that accesses the first one's object at this offset; 0: there is none in reach. */
static uint32_t find_neighbour(const struct lowering *low, uint32_t first, uint32_t end, int64_t offset)
{
    const struct node *leader = &low->nodes[first];
    const bool is_store = insn_of(low, first)->is_store;
    for (uint32_t i = first + 1; i < end && i < first + REACH; i++) {
        const struct node *node = &low->nodes[i];
        const bool is_like = is_candidate(low, i) && insn_of(low, i)->is_store == is_store &&
                             insn_of(low, i)->width == insn_of(low, first)->width &&
                             is_same_object(node, leader) && node->access == leader->access;
        if (is_like && node->offset == offset)
            return i;
        if (!is_like && is_between(low, i, leader, is_store))
            return 0;
    }
    return 0;
}

static bool is_aligned(const struct lowering *low, const struct node *node, uint32_t bytes)
{
    const uint32_t zeros =
        node->base == NO_REGISTER ? 63 : known_zeros((struct bits){low, NO_REGISTER}, node->base, MAX_DEPTH);
    return zeros >= low_zeros(bytes);
}

/* Takes the others' registers and places over. A store is done where its last value is known. */
static void join_accesses(struct lowering *low, const uint32_t *members, uint32_t count)
{
    const bool is_store = insn_of(low, members[0])->is_store;
    uint32_t leader = 0;
    for (uint32_t k = 1; k < count; k++)
        if (is_store ? members[k] > members[leader] : members[k] < members[leader])
            leader = k;
    struct node *node = &low->nodes[members[leader]];
    for (uint32_t k = 0, at = 0; k < count; k++) {
        struct node *other = &low->nodes[members[k]];
        if (k == leader)
            continue;
        node->merged[at++] = other->place;
        other->is_merged = true;
        for (uint32_t d = 0; d < other->ndefs && node->ndefs < NODE_DEFS; d++)
            node->def[node->ndefs++] = other->def[d];
        for (uint32_t u = 0; u < other->nuses && node->nuses < NODE_USES; u++)
            if (other->use[u] != other->base)
                node->use[node->nuses++] = other->use[u];
    }
}

/* Tries to fill an aligned piece of so many bytes around the first instruction. */
static bool try_piece(struct lowering *low, uint32_t first, uint32_t end, uint32_t bytes)
{
    const struct node *node = &low->nodes[first];
    const uint32_t width = insn_of(low, first)->width, count = bytes / width;
    const int64_t begin = node->offset & ~(int64_t)(bytes - 1);
    uint32_t members[VECTOR_BYTES / 4];
    if (count < 2 || !is_aligned(low, node, bytes))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const int64_t offset = begin + (int64_t)(k * width);
        members[k] = offset == node->offset ? first : find_neighbour(low, first, end, offset);
        if (offset != node->offset && !members[k])
            return false;
    }
    join_accesses(low, members, count);
    return true;
}

void lower_vectors(struct lowering *low)
{
    for (uint32_t s = 0; s < low->out->nsegments; s++) {
        const struct segment *segment = &low->out->segments[s];
        const uint32_t end = segment->first_insn + segment->ninsns;
        for (uint32_t i = segment->first_insn; i < end; i++)
            if (is_candidate(low, i) &&
                (low->nodes[i].access == OP_CONST || !try_piece(low, i, end, VECTOR_BYTES)))
                try_piece(low, i, end, VECTOR_BYTES / 2);
    }
}
