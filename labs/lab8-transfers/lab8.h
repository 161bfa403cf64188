/* lab8.h - the entry points of lab 8, one per stage. Stages of one chain have the same parameters.
 * Pointers whose names begin with host_ are host memory, as malloc() gives it; all others are device memory. What is in
 * neither inputs nor results is there to be used: nobody looks at it afterwards. Every size from 1 up is legal. */
#ifndef LAB8_H
#define LAB8_H

#include "lab/entry.h"

/* pieces, fused: out[i] = sqrt((1.5 * a[i] + b[i])^2 + 0.25) */
typedef void pieces_fn(float *out, const float *a, const float *b, int count);
/* host_reset, reset: counts[k] = how many of the `count` keys are k; keys are below `bins`. */
typedef void count_fn(int *counts, const int *keys, int count, int bins);
/* host_rest, leftover: x[i] = shaped(in[i]); levels[k] = next_level(levels[k - 1], x[k * SEGMENT]), beginning with a level of 0;
 * out[i] = x[i] + levels[i / SEGMENT]. x and host_x have room for `count` floats, the levels for one float per segment. */
typedef void levels_fn(float *out, const float *in, float *x, float *levels, float *host_x,
                       float *host_levels, int count);
/* pageable, pinned, streams: host_out[i] = encrypted(host_in[i], modulus). `in` and `out` have room for `count` numbers. */
typedef void cipher_fn(unsigned *host_out, const unsigned *host_in, unsigned *out, unsigned *in, int count,
                       unsigned modulus);
/* launches, graph: out becomes `in` after `rounds` rounds of LEVELS kernels each; `other` has room for `count` numbers. */
typedef void rounds_fn(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds);

LAB_ENTRIES(pieces_fn, run_pieces, run_fused);
LAB_ENTRIES(count_fn, run_host_reset, run_reset);
LAB_ENTRIES(levels_fn, run_host_rest, run_leftover);
LAB_ENTRIES(cipher_fn, run_pageable, run_pinned, run_streams);
LAB_ENTRIES(rounds_fn, run_launches, run_graph);

#ifdef __cplusplus
extern "C" {
#endif

/* The serial rest on the host, which the kit computes, so that it can be replayed: host_levels[k] for every segment, from
 * host_x, which has `count` floats. Both are arrays that the entry point was given. */
void host_rest(float *host_levels, const float *host_x, int count);

#ifdef __cplusplus
}
#endif

#endif
