/* lab5.h - the entry points of lab 5, one per stage, all with the same parameters, and the words for answers.
 * `c` becomes the product of `a` and `b`: c[row][column] is the sum over k of a[row][k] * b[k][column]. All three are
 * matrices of n rows with n floats each, in device memory, rows packed; every n from 1 up is legal. The entry point of `prediction`
 * gets the answers for `c` and their sheet for `a`. */
#ifndef LAB5_H
#define LAB5_H

#include "lab/entry.h"

typedef void matmul_fn(float *c, const float *a, const float *b, int n);

LAB_ENTRIES(matmul_fn, matmul_column, matmul_coalesced, matmul_coarse, matmul_coarse_local, matmul_tiled,
            matmul_two_results, matmul_prediction, matmul_transposed, matmul_rank1, matmul_registers,
            matmul_edges, matmul_pipeline);

/* ---- answers: what lab5.cu says in the stage `prediction` ---- */

enum { QUESTIONS = 5 };

/* How long the next step takes, compared with the step before. */
enum duration { NOT_PREDICTED, HALF_AS_LONG, THREE_QUARTERS, AS_LONG, TWICE_AS_LONG };
/* What it saves. */
enum saving { NOT_NAMED, DRAM_BYTES, L2_BYTES, SHARED_BYTES, LOAD_INSTRUCTIONS, BARRIERS };
/* What would make the step before faster. */
enum remedy { NOT_CHOSEN, MORE_WARPS, FEWER_BARRIERS, LARGER_L2, OPERANDS_IN_REGISTERS, LONGER_ROWS };

#endif
