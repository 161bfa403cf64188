/* order.c - a search through the control-flow graph, block by block, that stops at barriers.
 * Calls are passed over: a barrier in a function that was not inlined is not seen. Without recursion, as in flow_graph.c. */
#include "report/order.h"

#include <stdlib.h>

#include "decode/flow_graph.h"

enum way { ARRIVES, IS_STOPPED, GOES_ON };

static enum way walk(const struct insn *code, uint32_t at, uint32_t end, uint32_t to)
{
    for (; at < end; at++) {
        if (at == to)
            return ARRIVES;
        if (code[at].flow == FLOW_BARRIER)
            return IS_STOPPED;
    }
    return GOES_ON;
}

/* The blocks behind this one that nobody has queued yet; returns how many there are in the queue now. */
static uint32_t queue_next(const struct flow_graph *graph, uint32_t block, uint8_t *is_seen, uint32_t *queue,
                           uint32_t count)
{
    for (uint32_t k = graph->next.start[block]; k < graph->next.start[block + 1]; k++) {
        const uint32_t next = graph->next.list[k];
        if (next < graph->nblocks && !is_seen[next]) {
            is_seen[next] = 1;
            queue[count++] = next;
        }
    }
    return count;
}

static bool search(const struct flow_graph *graph, uint32_t from, uint32_t to, uint8_t *is_seen,
                   uint32_t *queue)
{
    uint32_t block = graph->block_of[from], at = from + 1, count = 0;
    for (;;) {
        const enum way way = walk(graph->code, at, graph->blocks[block].end, to);
        if (way == ARRIVES)
            return true;
        if (way == GOES_ON)
            count = queue_next(graph, block, is_seen, queue, count);
        if (count == 0)
            return false;
        block = queue[--count];
        at = graph->blocks[block].first;
    }
}

/* The instruction's place in the function's code; ncode: it is not there. */
static uint32_t place_of(const struct function *function, uint32_t id)
{
    uint32_t i = 0;
    while (function->code && i < function->ncode && function->code[i].id != id)
        i++;
    return function->code ? i : function->ncode;
}

static bool reaches_in(const struct function *function, uint32_t from, uint32_t to)
{
    struct flow_graph graph;
    bool is_reached = false;
    const bool is_made = flow_graph_make(&graph, function->code, function->ncode);
    uint8_t *is_seen = is_made ? calloc((size_t)graph.nblocks + 1, 1) : NULL;
    uint32_t *queue = is_made ? malloc(((size_t)graph.nblocks + 1) * sizeof *queue) : NULL;
    if (is_seen && queue)
        is_reached = search(&graph, from, to, is_seen, queue);
    free(queue);
    free(is_seen);
    flow_graph_free(&graph);
    return is_reached;
}

bool order_reaches(const struct module *module, uint32_t from, uint32_t to)
{
    for (uint32_t f = 0; f < module->nfunctions; f++) {
        const struct function *function = &module->functions[f];
        const uint32_t a = place_of(function, from), b = place_of(function, to);
        if (a < function->ncode && b < function->ncode)
            return reaches_in(function, a, b);
    }
    return false;
}
