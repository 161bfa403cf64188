/* lower_flow.c - what branches cost: short ones vanish into guards, others that lanes may take differently need a pair of
 * operations around them that brings the lanes together again.
 * A kernel's way out is a guarded EXIT, not a branch around the rest. */
#include "model/lower_internal.h"

/* So many operations of a way are guarded rather than jumped over: where there is a load from far away, which then begins
 * with the others around it; where there are other accesses; and where there is none. Found with ptxas 13.0 for sm_90 and bodies
 * of growing length. */
enum { MAX_FAR = 20, MAX_NEAR = 7, MAX_ARITHMETIC = 8 };

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

static bool is_access(const struct lowering *low, uint32_t i)
{
    return low->nodes[i].recipe && low->nodes[i].recipe->shape == SHAPE_MEMORY;
}

/* How long a way may be; 0: atomics are never guarded, they have branches of their own. */
static uint32_t longest_way(const struct lowering *low, uint32_t first, uint32_t end)
{
    uint32_t longest = MAX_ARITHMETIC;
    for (uint32_t i = first; i < end; i++) {
        const struct insn *insn = &low->function->code[i];
        const bool is_far = low->nodes[i].access == OP_GLOBAL || low->nodes[i].access == OP_TEXTURE;
        if (!is_access(low, i))
            continue;
        if (insn->is_atomic)
            return 0;
        if (is_far && !insn->is_store)
            longest = MAX_FAR;
        else if (longest != MAX_FAR)
            longest = MAX_NEAR;
    }
    return longest;
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

/* Each way is short enough, up to where the branch's lanes meet. */
static bool is_guarded(const struct lowering *low, uint32_t i)
{
    const struct insn *insn = &low->function->code[i];
    const uint32_t join = insn->branch.join, *segment_of = low->out->segment_of;
    if (insn->branch.target <= i + 1 || !is_one_choice(low, i, join))
        return false;
    const uint32_t longest = longest_way(low, i + 1, join);
    for (uint32_t k = i + 1, count = 0; k < join; k++) {
        count = segment_of[k] == segment_of[k - 1] ? count : 0;
        if (low->function->code[k].flow != FLOW_BRANCH)
            count += count_node(&low->nodes[k]);
        if (count > longest)
            return false;
    }
    return longest > 0;
}

/* The branch is gone, and those within what it guards. */
static void set_guarded(struct lowering *low, uint32_t i)
{
    const uint32_t join = low->function->code[i].branch.join;
    struct segment *segments = low->out->segments;
    for (uint32_t k = i; k < join; k++)
        if (low->function->code[k].flow == FLOW_BRANCH)
            low->nodes[k].recipe = NULL;
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
