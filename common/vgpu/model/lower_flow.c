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
    if (node->recipe && !node->is_gone && !node->is_merged)
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

/* One straight piece of code, up to where the branch goes. */
static bool is_guarded(const struct lowering *low, uint32_t i)
{
    const struct lowered *out = low->out;
    const struct insn *insn = &low->function->code[i];
    const uint32_t body = out->segment_of[i] + 1;
    if (insn->branch.target <= i + 1 || body >= out->nsegments ||
        out->segment_of[insn->branch.target] != body + 1 || is_way_out(low, insn->branch.target))
        return false;
    uint32_t count = 0, nfree = 0, limit = MAX_GUARDED;
    struct tainted tainted = {.count = 0};
    for (uint32_t k = i + 1; k < insn->branch.target; k++) {
        const struct node *node = &low->nodes[k];
        const struct insn *one = &low->function->code[k];
        const bool is_one_free = is_free(one, &tainted);
        for (uint32_t d = 0; d < one->ndefs; d++)
            set_tainted(&tainted, one->o[d], !is_one_free);
        *(is_one_free ? &nfree : &count) += count_node(node);
        if (is_slow(low, k))
            limit = MAX_GUARDED_SLOW;
        if (node->recipe && (node->recipe->shape == SHAPE_BRANCH || node->steps[0].class == OP_BARRIER))
            return false;
    }
    return count <= limit && nfree <= MAX_FREE;
}

/* ------------------------------------------------------------------------------------------- meeting again */

static const struct recipe meeting = {.shape = SHAPE_BRANCH};

static void place_branch(struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    struct node *node = &low->nodes[i];
    const bool goes_on = !insn->guard && skip_joins(low, insn->branch.target) == skip_joins(low, i + 1);
    const bool is_guard = insn->guard && is_guarded(low, i);
    if (is_guard) {
        struct segment *segment = &low->out->segments[low->out->segment_of[i]];
        segment[0].is_mixed = segment[1].is_mixed = segment[1].is_guarded = true;
    }
    if (goes_on || is_guard) {
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
