/* lower_flow.c - what branches cost: short ones vanish into guards, others that lanes may take differently need a pair of
 * operations around them that brings the lanes together again.
 * A kernel's way out is a guarded EXIT, not a branch around the rest. */
#include "model/lower_internal.h"

/* So many operations are guarded rather than jumped over: fewer if there are slow accesses among them. What only computes
 * addresses and the like from what was known before needs no guard: it is done in any case, up to a limit of its own. */
enum { MAX_GUARDED = 13, MAX_GUARDED_SLOW = 4, MAX_FREE = 40, MAX_TAINTED = 64 };

static uint32_t skip_joins(const struct lowering *low, uint32_t i)
{
    while (i + 1 < low->function->ncode && low->function->code[i].kind == INSN_JOIN)
        i++;
    return i;
}

static bool is_way_out(const struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[skip_joins(low, i)];
    return (insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT) && !insn->guard;
}

/* ------------------------------------------------------------------------------------------- guards instead of branches */

static uint32_t count_node(const struct node *node)
{
    uint32_t count = 0;
    if (node_is_issued(node))
        for (uint32_t k = 0; k < RECIPE_STEPS + 1; k++)
            count += node->steps[k].count;
    return count;
}

static bool is_slow(const struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    const struct node *node = &low->nodes[i];
    const bool is_memory = node->recipe && node->recipe->shape == SHAPE_MEMORY;
    return is_memory && (node->access == OP_SHARED ? !insn->is_store : insn->is_store || insn->is_atomic);
}

/* What was loaded in the body, and what was computed from it: whoever uses it waits for the guard. */
struct tainted {
    uint32_t slots[MAX_TAINTED], count;
};

static bool is_tainted(const struct tainted *tainted, uint32_t slot)
{
    for (uint32_t i = 0; i < tainted->count; i++)
        if (tainted->slots[i] == slot)
            return true;
    return false;
}

/* Registers are used again: a new value is as free as what it is computed from. */
static void set_tainted(struct tainted *tainted, uint32_t slot, bool is_set)
{
    for (uint32_t i = 0; i < tainted->count; i++)
        if (tainted->slots[i] == slot)
            tainted->slots[i--] = tainted->slots[--tainted->count];
    if (is_set && tainted->count < MAX_TAINTED)
        tainted->slots[tainted->count++] = slot;
}

/* True if the operation can be done before its guard is known. */
static bool is_free(const struct insn *insn, const struct tainted *tainted)
{
    bool is_free = insn->class <= CLASS_FP32 && insn->class != CLASS_IDIV && !insn->guard;
    for (uint32_t k = insn->ndefs; is_free && k < (uint32_t)insn->ndefs + insn->nuses; k++)
        is_free = !is_tainted(tainted, insn->o[k]);
    return is_free;
}

/* The same, going on behind it: what it writes is as free as itself. */
static bool pass_insn(struct tainted *tainted, const struct insn *insn)
{
    const bool is_one_free = is_free(insn, tainted);
    for (uint32_t d = 0; d < insn->ndefs; d++)
        set_tainted(tainted, insn->o[d], !is_one_free);
    return is_one_free;
}

/* A branch within a guarded piece: from the end of one way over the other to where both meet. */
static bool is_inner_branch(const struct insn *insn, uint32_t i, uint32_t join)
{
    return insn->flow == FLOW_BRANCH && !insn->guard && insn->branch.target > i &&
           insn->branch.target <= join;
}

/* Neither barriers nor calls nor further decisions: one way or two, up to where the branch's lanes meet. */
static bool is_one_choice(const struct lowering *low, uint32_t i, uint32_t join)
{
    enum { MAX_SEGMENTS = 4 }; /* a jump over the first way, both ways, and where they meet */
    const uint32_t *segment_of = low->out->segment_of;
    if (join == NO_JOIN || join <= i + 1 || segment_of[join] > segment_of[i] + MAX_SEGMENTS ||
        is_way_out(low, join))
        return false;
    for (uint32_t k = i + 1; k < join; k++) {
        const struct node *node = &low->nodes[k];
        const bool is_fixed = node->recipe && (node->recipe->shape == SHAPE_BRANCH ||
                                               node->steps[0].class == OP_BARRIER || node->is_loop);
        if (is_fixed && !is_inner_branch(&low->function->code[k], k, join))
            return false;
    }
    return true;
}

/* Short enough, up to where the branch's lanes meet. */
static bool is_guarded(const struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    const uint32_t join = insn->branch.join;
    if (insn->branch.target <= i + 1 || !is_one_choice(low, i, join))
        return false;
    uint32_t count = 0, nfree = 0, limit = MAX_GUARDED;
    struct tainted tainted = {.count = 0};
    for (uint32_t k = i + 1; k < join; k++) {
        const struct insn *one = &low->function->code[k];
        const bool is_one_free = pass_insn(&tainted, one);
        if (one->flow != FLOW_BRANCH)
            *(is_one_free ? &nfree : &count) += count_node(&low->nodes[k]);
        if (is_slow(low, k))
            limit = MAX_GUARDED_SLOW;
    }
    return count <= limit && nfree <= MAX_FREE;
}

/* What is not done in any case gets a guard. */
static void guard_nodes(struct lowering *low, uint32_t i, uint32_t join)
{
    const int64_t guard = low->function->code[i].source->guard;
    struct tainted tainted = {.count = 0};
    for (uint32_t k = i + 1; k < join && guard >= 0 && guard < NO_REGISTER; k++)
        if (!pass_insn(&tainted, &low->function->code[k]) && low->nodes[k].guard == NO_REGISTER)
            low->nodes[k].guard = (uint16_t)guard;
}

/* The branch is gone, and those within what it guards. */
static void set_guarded(struct lowering *low, uint32_t i)
{
    const uint32_t join = low->function->code[i].branch.join;
    struct segment *segments = low->out->segments;
    for (uint32_t k = i; k < join; k++)
        if (low->function->code[k].flow == FLOW_BRANCH)
            low->nodes[k].recipe = NULL;
    guard_nodes(low, i, join);
    segments[low->out->segment_of[i]].is_mixed = true;
    for (uint32_t s = low->out->segment_of[i] + 1; s < low->out->segment_of[join]; s++)
        segments[s].is_mixed = segments[s].is_guarded = true;
}

/* ------------------------------------------------------------------------------------------- meeting again */

static const struct recipe meeting = {.shape = SHAPE_BRANCH};

static void place_branch(struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    struct node *node = &low->nodes[i];
    const bool goes_on = !insn->guard && skip_joins(low, insn->branch.target) == skip_joins(low, i + 1);
    if (insn->guard && is_guarded(low, i)) {
        set_guarded(low, i);
        return;
    }
    if (goes_on) {
        node->recipe = NULL;
        return;
    }
    if (insn->branch.join == NO_JOIN || !lower_parts(low, i) || is_way_out(low, insn->branch.join))
        return;
    struct node *join = &low->nodes[insn->branch.join];
    join->recipe = &meeting;
    join->steps[0] = (struct recipe_step){OP_UNIFORM, 1, 1};
    join->steps[1] = (struct recipe_step){OP_BRANCH, 1, 1};
}

void lower_flow(struct lowering *low)
{
    for (uint32_t i = 0; i < low->function->ncode; i++)
        if (low->nodes[i].recipe && low->function->code[i].flow == FLOW_BRANCH)
            place_branch(low, i);
}
