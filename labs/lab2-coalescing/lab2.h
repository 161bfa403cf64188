/* lab2.h - the entry points of lab 2, one per stage, all with the same parameters.
 * A stage reads `in`, writes `out` (both device memory, both as cudaMalloc returns them: aligned to 256 bytes) and uses the
 * fields of `shape` that its TODO names; the others are 0. Every size from 1 is legal, and none is a multiple of anything. */
#ifndef LAB2_H
#define LAB2_H

#include <stddef.h>

#include "lab/entry.h"

struct shape {
    int count;         /* elements or particles */
    int offset;        /* elements before the first one that counts */
    int width, height; /* columns and rows of a 2-D array */
    size_t pitch;      /* BYTES from one row to the next, as cudaMallocPitch() counts: a multiple of 128 */
    int n[4];          /* a 4-D array's sizes; n[0] is the fastest */
};

LAB_ENTRY void walk_strided(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_unit(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_offset(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_aligned(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_aos(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_soa(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_down(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_pitched(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_rows(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_column(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_nested(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_flat(float *out, const float *in, struct shape shape);
LAB_ENTRY void walk_vector(float *out, const float *in, struct shape shape);

#endif
