/* lab2.h - the entry points of lab 2, one per stage, all with the same parameters.
 * A stage reads `in`, writes `out` (both device memory, both as cudaMalloc returns them: aligned to 256 bytes) and uses the
 * fields of `shape` that its TODO names; the others are 0. Every size from 1 is legal; no size need be a
 * multiple of another number. */
#ifndef LAB2_H
#define LAB2_H

#include <stddef.h>

#include "lab/entry.h"

struct shape {
    int count;          /* elements or particles */
    int offset;         /* elements before the first one that counts */
    int width, height;  /* columns and rows of a 2-D array */
    size_t pitch;       /* BYTES from one row to the next, as cudaMallocPitch() counts */
    int n[4];           /* a 4-D array's sizes; n[0] is the fastest */
    const int *index;   /* device memory: `count` numbers of records, in no order, some of them twice */
    int stride;         /* elements from one that counts to the next */
    float *answers;     /* where give_answers() writes */
    const float *sheet; /* and the numbers that it takes */
};

typedef void walk_fn(float *out, const float *in, struct shape shape);

LAB_ENTRIES(walk_fn, walk_strided, walk_unit, walk_offset, walk_aligned, walk_aos, walk_soa, walk_down,
            walk_pitched, walk_allocated, walk_rows, walk_column, walk_nested, walk_flat, walk_vector,
            walk_gather, walk_records, walk_every);

#endif
