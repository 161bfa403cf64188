/* lab3.h - the entry points of lab 3, one per stage, all with the same parameters.
 * `in` is a matrix of `height` rows with `width` floats each; `out` becomes its transpose: `width` rows with
 * `height` floats each, out[column][row] = in[row][column]. Both are device memory, rows packed; every size
 * from 1 x 1 up is legal. copy_tiled is the control: its `out` becomes the same matrix as `in`, not turned. */
#ifndef LAB3_H
#define LAB3_H

#include "lab/entry.h"

typedef void transpose_fn(float *out, const float *in, int width, int height);

LAB_ENTRIES(transpose_fn, transpose_naive, transpose_tiled, transpose_padded, transpose_rows,
            transpose_swizzle, copy_tiled);

#endif
