/* control.c - see control.h. A block depends on a branch if one way of it must come through the block, and another need not: from
 * each of the branch's ways up the tree of post-dominators, until what lies behind the branch in any case (Ferrante, Ottenstein
 * and Warren, 1987). */
#include "feeds/control.h"

#include <stdlib.h>

enum { MOST_PAIRS = 1 << 22 };

struct pairs {
    const struct flow_graph *graph;
    const uint32_t *up;
    uint32_t *start, *list; /* list NULL: they are only counted */
    uint64_t count;
};

static void climb(struct pairs *pairs, uint32_t branch, uint32_t from)
{
    const struct flow_graph *graph = pairs->graph;
    for (uint32_t at = from; at < graph->nblocks && at != pairs->up[branch] && pairs->count < MOST_PAIRS;
         at = pairs->up[at]) {
        pairs->count++;
        if (pairs->list)
            pairs->list[pairs->start[at + 1]++] = graph->blocks[branch].end - 1;
        else
            pairs->start[at + 2]++;
        if (pairs->up[at] == at)
            return;
    }
}

static void climb_all(struct pairs *pairs)
{
    const struct edges *next = &pairs->graph->next;
    pairs->count = 0;
    for (uint32_t b = 0; b < pairs->graph->nblocks; b++)
        for (uint32_t e = next->start[b]; next->start[b + 1] > next->start[b] + 1 && e < next->start[b + 1];
             e++)
            climb(pairs, b, next->list[e]);
}

static bool find(struct control *control, const struct flow_graph *graph)
{
    uint32_t *up = flow_graph_postdominators(graph);
    struct pairs pairs = {.graph = graph, .up = up};
    control->start = pairs.start = calloc((size_t)graph->nblocks + 3, sizeof *pairs.start);
    if (up && pairs.start) {
        climb_all(&pairs);
        for (uint32_t b = 0; b < graph->nblocks + 2; b++)
            pairs.start[b + 1] += pairs.start[b];
        control->list = malloc((pairs.count + 1) * sizeof *control->list);
    }
    const bool is_fine = control->list && pairs.count < MOST_PAIRS;
    pairs.list = control->list;
    if (is_fine)
        climb_all(&pairs);
    free(up);
    return is_fine;
}

bool control_make(struct control *control, const struct function *function)
{
    *control = (struct control){.block_of = NULL};
    const bool is_fine =
        flow_graph_make(&control->graph, function->code, function->ncode) && find(control, &control->graph);
    control->block_of = control->graph.block_of;
    return is_fine;
}

void control_free(struct control *control)
{
    flow_graph_free(&control->graph);
    free(control->start);
    free(control->list);
}
