/* flow.c - control flow of a decoded function: branch targets, and the points where lanes meet again.
 * Lanes that part at a branch meet again at the branch's immediate post-dominator; a JOIN stands there. Where an early return
 * leaves none, it is that of the ways to another end of the function: who has returned is waited for no longer.
 * Branches hold PTX instruction numbers before and code indexes after flow_resolve_targets(). */
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "decode/flow_graph.h"

/* PTX instruction numbers → code indexes. */
void flow_resolve_targets(struct decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->ncode; i++) {
        struct insn *insn = &decoder->code[i];
        if (insn->flow == FLOW_BRANCH)
            insn->branch.target = decoder->starts[insn->branch.target];
        for (uint32_t k = 0; insn->flow == FLOW_TABLE && k < insn->table->count; k++)
            insn->table->targets[k] = decoder->starts[insn->table->targets[k]];
    }
}

enum { MOST_ENDS = 4 };

struct flow {
    struct decoder *decoder;
    const struct flow_graph *graph;
    uint32_t *meets; /* by block: its immediate post-dominator */
    bool *has_join;  /* by block */

    /* for lanes that return early */
    uint32_t *meets_before[MOST_ENDS], nends; /* meets[] of the ways to one end of the function alone */
    uint32_t *stack;
    bool *is_seen;
    uint64_t steps;
};

/* Lanes that only come to leave the kernel need not wait for each other: an early return is no divergence. */
static bool only_leaves(const struct flow *flow, uint32_t block)
{
    const struct insn *first = &flow->decoder->code[flow->graph->blocks[block].first];
    return flow->decoder->function->ptx->is_entry && is_return(first) && !first->guard;
}

static bool is_meeting_point(const struct flow *flow, uint32_t block)
{
    return block < flow->graph->nblocks && !only_leaves(flow, block);
}

/* ------------------------------------------------------------------------------------------- early returns */

/* True if a way leads from one block to another that does not come through a third. */
static bool leads_to(struct flow *flow, uint32_t from, uint32_t to, uint32_t without)
{
    const struct edges *next = &flow->graph->next;
    uint32_t depth = 0;
    bool is_found = from == to;
    memset(flow->is_seen, 0, flow->graph->nblocks + (size_t)1);
    flow->is_seen[without] = flow->is_seen[from] = true;
    for (flow->stack[depth++] = from; depth && !is_found;) {
        const uint32_t block = flow->stack[--depth];
        for (uint32_t e = next->start[block]; e < next->start[block + 1] && !is_found; e++) {
            const uint32_t at = next->list[e];
            is_found = at == to;
            if (!flow->is_seen[at])
                flow->stack[depth++] = at;
            flow->is_seen[at] = true;
        }
        flow->steps++;
    }
    return is_found;
}

/* Where lanes that part at a block and do not return early meet on their way to an end; NO_BLOCK: they do not. Two ways lead
 * there at least, and none of them comes round to the block first: but for loops, which those who leave them wait behind. */
static uint32_t meet_before(struct flow *flow, uint32_t block, const uint32_t *meets)
{
    const struct edges *next = &flow->graph->next;
    const uint32_t meet = meets[block];
    uint32_t ways = 0;
    if (meet == NO_BLOCK || !is_meeting_point(flow, meet))
        return NO_BLOCK;
    const bool is_behind = !leads_to(flow, meet, block, flow->graph->nblocks);
    for (uint32_t e = next->start[block]; e < next->start[block + 1]; e++)
        if (meets[next->list[e]] != NO_BLOCK && (is_behind || leads_to(flow, next->list[e], meet, block)))
            ways++;
    return ways > 1 ? meet : NO_BLOCK;
}

static uint32_t meeting_point(struct flow *flow, uint32_t block)
{
    enum { MANY = 1 << 24 }; /* steps: hostile functions do without */
    const uint32_t meet = flow->meets[block];
    if (is_meeting_point(flow, meet))
        return meet;
    for (uint32_t k = 0; k < flow->nends && flow->steps < MANY; k++) {
        const uint32_t found = meet_before(flow, block, flow->meets_before[k]);
        if (found != NO_BLOCK)
            return found;
    }
    return NO_BLOCK;
}

/* True if lanes can leave the function behind the block: by a return of its own, or by going to one. */
static bool can_leave(const struct flow *flow, uint32_t block)
{
    const struct edges *next = &flow->graph->next;
    for (uint32_t e = next->start[block]; e < next->start[block + 1]; e++)
        if (next->list[e] == flow->graph->nblocks || only_leaves(flow, next->list[e]))
            return !only_leaves(flow, block);
    return false;
}

/* Of a function with several ends, the last ones in its code: among them is the one that most lanes come to. */
static void find_ends(struct flow *flow)
{
    uint32_t ends[MOST_ENDS], count = 0;
    for (uint32_t b = flow->graph->nblocks; b-- > 0 && count < MOST_ENDS;)
        if (can_leave(flow, b))
            ends[count++] = b;
    for (uint32_t k = 0; k < count && count > 1; k++) {
        flow->meets_before[flow->nends] = flow_graph_postdominators_before(flow->graph, ends[k]);
        flow->nends += flow->meets_before[flow->nends] != NULL;
    }
}

/* Branches that can part lanes learn where these meet; those blocks get a JOIN. */
static void mark_joins(struct flow *flow)
{
    for (uint32_t b = 0; b < flow->graph->nblocks; b++) {
        struct insn *last = &flow->decoder->code[flow->graph->blocks[b].end - 1];
        if (!is_branch(last))
            continue;
        const uint32_t meet = meeting_point(flow, b);
        const bool can_part = last->flow == FLOW_TABLE || last->guard;
        last->branch.join = can_part && is_meeting_point(flow, meet) ? meet : NO_JOIN;
        if (last->branch.join != NO_JOIN)
            flow->has_join[meet] = true;
    }
}

static void put_join(struct insn *at, const struct insn *near)
{
    at->kind = INSN_JOIN;
    at->source = near->source;
    at->loc = near->loc;
}

static uint32_t count_joins(const struct flow *flow)
{
    uint32_t joins = 0;
    for (uint32_t b = 0; b < flow->graph->nblocks; b++)
        joins += flow->has_join[b];
    for (uint32_t i = 0; i < flow->decoder->ncode; i++)
        joins += insn_calls_pointer(&flow->decoder->code[i]);
    return joins;
}

static bool insert_joins(struct flow *flow)
{
    struct decoder *decoder = flow->decoder;
    uint32_t n = decoder->ncode, joins = count_joins(flow);
    struct insn *code = aligned_alloc(64, (n + joins + 1) * sizeof *code);
    uint32_t *moved = malloc((n + 1) * sizeof *moved);
    if (!code || !moved) {
        free(code);
        free(moved);
        return false;
    }
    memset(code, 0, (n + joins + 1) * sizeof *code);
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        moved[i] = at;
        const uint32_t block = flow->graph->block_of[i];
        if (flow->graph->blocks[block].first == i && flow->has_join[block])
            put_join(&code[at++], &decoder->code[i]);
        code[at++] = decoder->code[i];
        if (insn_calls_pointer(&decoder->code[i]))
            put_join(&code[at++], &decoder->code[i]);
    }
    moved[n] = at;
    for (uint32_t i = 0; i < at; i++) {
        if (!is_branch(&code[i]))
            continue;
        if (code[i].branch.join != NO_JOIN)
            code[i].branch.join = moved[flow->graph->blocks[code[i].branch.join].first];
        if (code[i].flow == FLOW_BRANCH)
            code[i].branch.target = moved[code[i].branch.target];
        for (uint32_t k = 0; code[i].flow == FLOW_TABLE && k < code[i].table->count; k++)
            code[i].table->targets[k] = moved[code[i].table->targets[k]];
    }
    free(moved);
    free(decoder->code);
    decoder->code = code;
    decoder->ncode = at;
    decoder->capacity = n + joins + 1;
    return true;
}

static void flow_release(struct flow *flow)
{
    for (uint32_t k = 0; k < flow->nends; k++)
        free(flow->meets_before[k]);
    free(flow->meets);
    free(flow->has_join);
    free(flow->stack);
    free(flow->is_seen);
}

bool flow_insert_joins(struct decoder *decoder, const struct flow_graph *graph)
{
    const size_t blocks = (size_t)graph->nblocks + 1;
    struct flow flow = {
        .decoder = decoder,
        .graph = graph,
        .meets = flow_graph_postdominators(graph),
        .has_join = calloc(blocks, sizeof *flow.has_join),
        .stack = malloc(blocks * sizeof *flow.stack),
        .is_seen = malloc(blocks * sizeof *flow.is_seen),
    };
    bool is_fine = flow.meets && flow.has_join && flow.stack && flow.is_seen;
    if (is_fine) {
        find_ends(&flow);
        mark_joins(&flow);
        is_fine = insert_joins(&flow);
    }
    flow_release(&flow);
    return is_fine ||
           decode_error(decoder, "its control flow is too large or too entangled for the virtual GPU");
}
