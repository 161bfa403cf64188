/* lab6.h - the entry points of lab 6, one per stage, all with the same parameter: what is to be done.
 * Pointers are device memory, as cudaMalloc returns it. A stage uses the fields that its TODO names; pointers that it has no
 * use for are NULL. Every n and m from 1 is legal. */
#ifndef LAB6_H
#define LAB6_H

#include "lab/entry.h"

struct task {
    float *out;         /* results */
    const float *in;    /* inputs */
    const int *table;   /* the kind of each element, or the nodes of a tree */
    float *answers;     /* where give_answers() writes */
    const float *sheet; /* and the numbers that it takes */
    int n, m;
};

typedef void limits_fn(struct task task);

LAB_ENTRIES(limits_fn, limits_tiny_blocks, limits_block_size, limits_two_waves, limits_waves,
            limits_all_warps, limits_registers, limits_one_chain, limits_ilp, limits_one_load, limits_mlp,
            limits_mixed, limits_static_order, limits_mixed_data, limits_dynamic_order, limits_lookup,
            limits_tree_lookup, limits_two_barriers, limits_barriers, limits_both, limits_memory_only,
            limits_compute_only, limits_roofline, limits_scattered, limits_what_if, limits_knees);

#endif
