/* lab5.h - the entry points of lab 5, one per stage, all with the same parameters.
 * `c` becomes the product of `a` and `b`: c[row][column] is the sum over k of a[row][k] * b[k][column]. All three are
 * matrices of n rows with n floats each, in device memory, rows packed; every n from 1 up is legal. */
#ifndef LAB5_H
#define LAB5_H

#include "lab/entry.h"

typedef void matmul_fn(float *c, const float *a, const float *b, int n);

LAB_ENTRIES(matmul_fn, matmul_column, matmul_coalesced, matmul_coarse, matmul_coarse_local, matmul_tiled,
            matmul_two_results, matmul_transposed, matmul_rank1, matmul_registers, matmul_edges,
            matmul_pipeline);

#endif
