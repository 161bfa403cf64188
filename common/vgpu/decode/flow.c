/* flow.c - control flow of a decoded function: branch targets, and the points where lanes meet again.
 * Lanes that part at a branch meet again at the branch's immediate post-dominator; a JOIN stands there.
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

struct flow {
    struct decoder *decoder;
    const struct flow_graph *graph;
    const uint32_t *meets; /* by block: its immediate post-dominator */
    bool *has_join;        /* by block */
};

/* Lanes that only come to leave the kernel need not wait for each other: an early return is no divergence. */
static bool only_leaves(const struct flow *flow, uint32_t block)
{
    const struct insn *first = &flow->decoder->code[flow->graph->blocks[block].first];
    return flow->decoder->function->ptx->is_entry && is_return(first) && !first->guard;
}

/* Branches that can part lanes learn where these meet; those blocks get a JOIN. */
static void mark_joins(struct flow *flow)
{
    for (uint32_t b = 0; b < flow->graph->nblocks; b++) {
        struct insn *last = &flow->decoder->code[flow->graph->blocks[b].end - 1];
        if (!is_branch(last))
            continue;
        uint32_t meet = flow->meets[b];
        bool can_part = last->flow == FLOW_TABLE || last->guard;
        bool can_meet = meet < flow->graph->nblocks && !only_leaves(flow, meet);
        last->branch.join = can_part && can_meet ? meet : NO_JOIN;
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

bool flow_insert_joins(struct decoder *decoder, const struct flow_graph *graph)
{
    uint32_t *meets = flow_graph_postdominators(graph);
    struct flow flow = {decoder, graph, meets, calloc((size_t)graph->nblocks + 1, sizeof(bool))};
    bool is_fine = meets && flow.has_join;
    if (is_fine) {
        mark_joins(&flow);
        is_fine = insert_joins(&flow);
    }
    free(meets);
    free(flow.has_join);
    return is_fine ||
           decode_error(decoder, "its control flow is too large or too entangled for the virtual GPU");
}
