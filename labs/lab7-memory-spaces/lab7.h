/* lab7.h - the entry points of lab 7, one per stage, all with the same parameter: what is to be done.
 * Pointers are device memory, as cudaMalloc returns it. A stage uses the fields that its TODO names; pointers that it has no
 * use for are NULL. Every n and m from 1 is legal. */
#ifndef LAB7_H
#define LAB7_H

#include "lab/entry.h"

struct task {
    float *out;         /* results */
    const float *in;    /* inputs */
    const float *table; /* coefficients, or a table to look something up in */
    const int *list;    /* numbers that indices are made of: random, or random and sorted */
    float *answers;     /* where give_answers() writes */
    const float *sheet; /* and the numbers that it takes */
    int n, m;
    int pitch; /* of a picture: floats from one row of `in` to the next, a multiple of 16 */
};

typedef void spaces_fn(struct task task);

LAB_ENTRIES(spaces_fn, spaces_global, spaces_constant, spaces_read_only, spaces_wrong_constant, spaces_moved,
            spaces_zoom, spaces_texture, spaces_filter, spaces_local, spaces_registers, spaces_columns,
            spaces_spilling, spaces_spill, spaces_random, spaces_sorted, spaces_gather, spaces_large_table,
            spaces_large_shared);

#endif
