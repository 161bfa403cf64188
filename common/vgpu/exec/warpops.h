/* warpops.h - the lane arithmetic of shuffles, votes, matches and reductions, as the PTX ISA defines it.
 * Pure functions: lanes and values in, lanes and values out. No warp, no mask of active lanes, no diagnostics. */
#ifndef VGPU_WARPOPS_H
#define VGPU_WARPOPS_H

#include <stdbool.h>
#include <stdint.h>

enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_mode { MATCH_ANY, MATCH_ALL };
enum redux_mode {
    REDUX_ADD,
    REDUX_AND,
    REDUX_OR,
    REDUX_XOR,
    REDUX_MIN_U32,
    REDUX_MAX_U32,
    REDUX_MIN_S32,
    REDUX_MAX_S32,
    REDUX_FMIN,
    REDUX_FMAX,
    REDUX_FMIN_NAN,
    REDUX_FMAX_NAN
};

/* The lane that lane reads from. b: lane or offset; c: clamp in bits 0-4, segment mask in bits 8-12. *in_range is the
 * predicate p of d|p; out of range, a lane reads its own value. */
int shuffle_source(enum shuffle_mode mode, int lane, uint32_t b, uint32_t c, bool *in_range);
/* Of all lanes; returns who is in range. */
uint32_t shuffle_sources(enum shuffle_mode mode, const uint32_t *b, const uint32_t *c, uint8_t *sources);

/* 0 or 1, or the ballot. */
uint32_t vote_result(enum vote_mode mode, uint32_t votes, uint32_t members);

/* The members whose value equals value. */
uint32_t match_lanes(const uint64_t *values, uint64_t value, uint32_t members);

uint32_t redux_fold(enum redux_mode mode, uint32_t x, uint32_t y);
uint32_t redux_lanes(enum redux_mode mode, const uint32_t *values, uint32_t members);

#endif
