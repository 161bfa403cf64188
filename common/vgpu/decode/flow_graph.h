/* flow_graph.h - the control-flow graph of a function: its basic blocks, who follows whom, and where all ways meet again.
 * One graph serves the decoder (reconvergence points, lifetimes of registers) and the checkers (loops, and branches
 * round a barrier). It looks at insn->flow alone; nothing here knows opcodes. */
#ifndef VGPU_FLOW_GRAPH_H
#define VGPU_FLOW_GRAPH_H

#include "core/machine.h"

#define NO_BLOCK 0xffffffffu

struct basic_block {
    uint32_t first, end; /* code indexes: [first, end) */
};

/* Blocks that follow or precede each other: those of block b are list[start[b]] to list[start[b + 1] - 1]. */
struct edges {
    uint32_t *list, *start;
};

struct flow_graph {
    const struct insn *code;
    uint32_t ncode;
    struct basic_block *blocks;
    uint32_t nblocks;   /* the exit is block nblocks: every way out of the function ends there */
    uint32_t *block_of; /* by code index; [ncode]: the exit */
    struct edges next, before;
};

/* False: out of memory. flow_graph_free() always. */
bool flow_graph_make(struct flow_graph *graph, const struct insn *code, uint32_t ncode);
void flow_graph_free(struct flow_graph *graph);

/* By block (the exit too): the nearest block that every way from it to the exit passes, or that every way from the
 * function's begin to it passes; NO_BLOCK where there is no way. The roots are their own. NULL: out of memory, or the graph
 * is so entangled that it would take minutes. The caller frees it. */
uint32_t *flow_graph_postdominators(const struct flow_graph *graph);
uint32_t *flow_graph_dominators(const struct flow_graph *graph);
/* The same for the ways that lead to one block; those that end elsewhere do not count. */
uint32_t *flow_graph_postdominators_before(const struct flow_graph *graph, uint32_t end);

/* True for the last instruction of a block that can go more ways than one, or elsewhere. */
static inline bool is_branch(const struct insn *insn)
{
    return insn->flow == FLOW_BRANCH || insn->flow == FLOW_TABLE;
}
static inline bool is_return(const struct insn *insn)
{
    return insn->flow == FLOW_RETURN || insn->flow == FLOW_EXIT;
}

#endif
