/* flow_graph.c - basic blocks, their edges, and dominators by the iteration of Cooper, Harvey and Kennedy (2001).
 * Without recursion: hostile code may nest as deep as it is long. */
#include "decode/flow_graph.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"

static uint32_t ntargets(const struct insn *insn)
{
    return insn->flow == FLOW_TABLE ? insn->table->count : insn->flow == FLOW_BRANCH;
}

static uint32_t target_of(const struct insn *insn, uint32_t k)
{
    return insn->flow == FLOW_TABLE ? insn->table->targets[k] : insn->branch.target;
}

static bool ends_block(const struct insn *insn)
{
    return is_branch(insn) || is_return(insn);
}

/* ------------------------------------------------------------------------------------------- blocks */

static void mark_leaders(const struct flow_graph *graph, uint8_t *is_leader)
{
    is_leader[0] = 1;
    for (uint32_t i = 0; i < graph->ncode; i++) {
        const struct insn *insn = &graph->code[i];
        if (ends_block(insn))
            is_leader[i + 1] = 1;
        for (uint32_t k = 0; k < ntargets(insn); k++)
            is_leader[target_of(insn, k)] = 1;
    }
}

static void fill_blocks(struct flow_graph *graph, const uint8_t *is_leader)
{
    for (uint32_t i = 0; i < graph->ncode; i++) {
        if (is_leader[i])
            graph->blocks[graph->nblocks++].first = i;
        graph->block_of[i] = graph->nblocks - 1;
        graph->blocks[graph->nblocks - 1].end = i + 1;
    }
    graph->block_of[graph->ncode] = graph->nblocks;
}

static bool make_blocks(struct flow_graph *graph)
{
    const uint32_t n = graph->ncode;
    uint8_t *is_leader = calloc((size_t)n + 2, 1);
    graph->block_of = malloc(((size_t)n + 1) * sizeof *graph->block_of);
    graph->blocks = calloc((size_t)n + 1, sizeof *graph->blocks);
    const bool is_fine = is_leader && graph->block_of && graph->blocks;
    if (is_fine) {
        mark_leaders(graph, is_leader);
        fill_blocks(graph, is_leader);
    }
    free(is_leader);
    return is_fine;
}

/* ------------------------------------------------------------------------------------------- edges */

/* The successors of a block, targets first; returns how many. out: NULL, or room for them. */
static uint32_t list_next(const struct flow_graph *graph, uint32_t block, uint32_t *out)
{
    const uint32_t end = graph->blocks[block].end;
    const struct insn *last = &graph->code[end - 1];
    uint32_t count = 0;
    for (uint32_t k = 0; k < ntargets(last); k++, count++)
        if (out)
            out[count] = graph->block_of[target_of(last, k)];
    if (is_return(last)) {
        if (out)
            out[count] = graph->nblocks;
        count++;
    }
    if (!ends_block(last) || last->guard) {
        if (out)
            out[count] = graph->block_of[end];
        count++;
    }
    return count;
}

static bool make_next(struct flow_graph *graph)
{
    const uint32_t n = graph->nblocks;
    uint32_t *start = graph->next.start = calloc((size_t)n + 2, sizeof *start);
    if (!start)
        return false;
    for (uint32_t b = 0; b < n; b++)
        start[b + 1] = start[b] + list_next(graph, b, NULL);
    start[n + 1] = start[n];
    graph->next.list = malloc(((size_t)start[n] + 1) * sizeof *graph->next.list);
    for (uint32_t b = 0; graph->next.list && b < n; b++)
        list_next(graph, b, graph->next.list + start[b]);
    return graph->next.list != NULL;
}

/* The same edges, turned round. */
static bool make_before(struct flow_graph *graph)
{
    const uint32_t n = graph->nblocks, nedges = graph->next.start[n];
    uint32_t *start = graph->before.start = calloc((size_t)n + 3, sizeof *start);
    uint32_t *list = graph->before.list = malloc(((size_t)nedges + 1) * sizeof *list);
    if (!start || !list)
        return false;
    for (uint32_t e = 0; e < nedges; e++)
        start[graph->next.list[e] + 2]++;
    for (uint32_t b = 1; b < n + 3; b++)
        start[b] += start[b - 1];
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = graph->next.start[b]; e < graph->next.start[b + 1]; e++)
            list[start[graph->next.list[e] + 1]++] = b;
    return true;
}

bool flow_graph_make(struct flow_graph *graph, const struct insn *code, uint32_t ncode)
{
    *graph = (struct flow_graph){.code = code, .ncode = ncode};
    return make_blocks(graph) && make_next(graph) && make_before(graph);
}

void flow_graph_free(struct flow_graph *graph)
{
    free(graph->blocks);
    free(graph->block_of);
    free(graph->next.list);
    free(graph->next.start);
    free(graph->before.list);
    free(graph->before.start);
}

/* ------------------------------------------------------------------------------------------- dominators */

/* A walk over the graph from a root: forward from the begin, or backward from the exit. */
struct walk {
    const struct edges *ways, *back; /* ways: the direction of the walk */
    uint32_t root, nblocks;          /* the exit included */
    uint32_t *order;                 /* blocks in reverse post-order, the root first */
    uint32_t norder;
    uint32_t *number; /* by block: its place in order; NO_BLOCK: not reached */
    uint32_t *nearest;
    uint64_t steps; /* up the tree, so far */
};

/* A second or two of work. Entangled graphs can take the square of their blocks, or more. */
#define MAX_STEPS (1ull << 29)

/* Post-order from the root, on a stack of our own; then turned round. */
static bool find_order(struct walk *walk)
{
    uint32_t *stack = malloc(walk->nblocks * sizeof *stack), *next = malloc(walk->nblocks * sizeof *next);
    uint32_t depth = 0, at = walk->nblocks;
    const bool is_fine = stack && next;
    if (is_fine) {
        stack[depth] = walk->root;
        next[depth++] = walk->ways->start[walk->root];
        walk->number[walk->root] = 0;
    }
    while (is_fine && depth) {
        const uint32_t block = stack[depth - 1];
        if (next[depth - 1] == walk->ways->start[block + 1]) {
            walk->order[--at] = block;
            depth--;
            continue;
        }
        const uint32_t to = walk->ways->list[next[depth - 1]++];
        if (walk->number[to] != NO_BLOCK)
            continue;
        walk->number[to] = 0;
        stack[depth] = to;
        next[depth++] = walk->ways->start[to];
    }
    free(stack);
    free(next);
    walk->norder = walk->nblocks - at;
    memmove(walk->order, walk->order + at, walk->norder * sizeof *walk->order);
    for (uint32_t i = 0; i < walk->norder; i++)
        walk->number[walk->order[i]] = i;
    return is_fine;
}

static uint32_t common(struct walk *walk, uint32_t a, uint32_t b)
{
    while (a != b) {
        for (; walk->number[a] > walk->number[b]; walk->steps++)
            a = walk->nearest[a];
        for (; walk->number[b] > walk->number[a]; walk->steps++)
            b = walk->nearest[b];
    }
    return a;
}

static uint32_t meet(struct walk *walk, uint32_t block)
{
    uint32_t met = NO_BLOCK;
    for (uint32_t e = walk->back->start[block]; e < walk->back->start[block + 1]; e++) {
        const uint32_t from = walk->back->list[e];
        if (walk->nearest[from] != NO_BLOCK)
            met = met == NO_BLOCK ? from : common(walk, from, met);
    }
    return met;
}

/* False: the graph is too entangled. */
static bool iterate(struct walk *walk)
{
    walk->nearest[walk->root] = walk->root;
    for (bool is_changed = true; is_changed; walk->steps += walk->norder) {
        is_changed = false;
        for (uint32_t i = 1; i < walk->norder; i++) {
            const uint32_t block = walk->order[i], met = meet(walk, block);
            is_changed |= met != walk->nearest[block];
            walk->nearest[block] = met;
            if (walk->steps > MAX_STEPS)
                return false;
        }
    }
    return true;
}

static uint32_t *find_nearest(const struct flow_graph *graph, const struct edges *ways,
                              const struct edges *back, uint32_t root)
{
    struct walk walk = {.ways = ways, .back = back, .root = root, .nblocks = graph->nblocks + 1};
    const size_t bytes = walk.nblocks * sizeof(uint32_t);
    walk.order = malloc(bytes);
    walk.number = malloc(bytes);
    walk.nearest = malloc(bytes);
    bool is_fine = walk.order && walk.number && walk.nearest;
    if (is_fine) {
        memset(walk.number, 0xff, bytes);
        memset(walk.nearest, 0xff, bytes);
        is_fine = find_order(&walk);
    }
    is_fine = is_fine && iterate(&walk);
    free(walk.order);
    free(walk.number);
    if (is_fine)
        return walk.nearest;
    free(walk.nearest);
    return NULL;
}

uint32_t *flow_graph_postdominators(const struct flow_graph *graph)
{
    return find_nearest(graph, &graph->before, &graph->next, graph->nblocks);
}

uint32_t *flow_graph_postdominators_before(const struct flow_graph *graph, uint32_t end)
{
    return find_nearest(graph, &graph->before, &graph->next, end);
}

uint32_t *flow_graph_dominators(const struct flow_graph *graph)
{
    return find_nearest(graph, &graph->next, &graph->before, 0);
}
