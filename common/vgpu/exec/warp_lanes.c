/* warp_lanes.c - the lane arithmetic of shuffles, votes, matches and reductions, as the PTX ISA's pseudo-code has it.
 * Pure functions of lanes and values.
 * Who takes part, and what is wrong with it, is warpops.c's affair. */
#include <math.h>

#include "alu/lanes.h"
#include "core/vectors.h"
#include "exec/warpops.h"

/* A mode that is known, and no branch: 32 lanes become a few vectors. */
static ALWAYS_INLINE int source_of(enum shuffle_mode mode, int lane, uint32_t b, uint32_t c, bool *in_range)
{
    const int distance = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    const int highest = (lane & segment) | (clamp & ~segment);
    const int source = mode == SHUFFLE_UP     ? lane - distance
                       : mode == SHUFFLE_DOWN ? lane + distance
                       : mode == SHUFFLE_BFLY ? lane ^ distance
                                              : (lane & segment) | (distance & ~segment & 31);
    *in_range = mode == SHUFFLE_UP ? source >= highest : source <= highest;
    return *in_range ? source : lane;
}

static ALWAYS_INLINE uint32_t sources_of(enum shuffle_mode mode, const uint32_t *b, const uint32_t *c,
                                         uint8_t *sources)
{
    uint32_t inside = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bool in_range;
        sources[lane] = (uint8_t)source_of(mode, lane, b[lane], c[lane], &in_range);
        inside |= (uint32_t)in_range << lane;
    }
    return inside;
}

int shuffle_source(enum shuffle_mode mode, int lane, uint32_t b, uint32_t c, bool *in_range)
{
    return source_of(mode, lane, b, c, in_range);
}

uint32_t shuffle_sources(enum shuffle_mode mode, const uint32_t *b, const uint32_t *c, uint8_t *sources)
{
    switch (mode) {
    case SHUFFLE_UP:
        return sources_of(SHUFFLE_UP, b, c, sources);
    case SHUFFLE_DOWN:
        return sources_of(SHUFFLE_DOWN, b, c, sources);
    case SHUFFLE_BFLY:
        return sources_of(SHUFFLE_BFLY, b, c, sources);
    case SHUFFLE_IDX:
        return sources_of(SHUFFLE_IDX, b, c, sources);
    }
    return 0;
}

uint32_t vote_result(enum vote_mode mode, uint32_t votes, uint32_t members)
{
    votes &= members;
    switch (mode) {
    case VOTE_ALL:
        return votes == members;
    case VOTE_ANY:
        return votes != 0;
    case VOTE_UNI:
        return votes == 0 || votes == members;
    case VOTE_BALLOT:
        return votes;
    }
    return 0;
}

uint32_t match_lanes(const uint64_t *values, uint64_t value, uint32_t members)
{
    uint32_t same = 0;
    for (int i = 0; i < LANES; i++)
        same |= (uint32_t)(values[i] == value) << i;
    return same & members;
}

static float fold_float(enum redux_mode mode, float x, float y)
{
    if (x != x || y != y) {
        if (mode == REDUX_FMIN_NAN || mode == REDUX_FMAX_NAN || (x != x && y != y))
            return f32_from_bits(0x7fffffff);
        return x != x ? y : x;
    }
    const bool is_min = mode == REDUX_FMIN || mode == REDUX_FMIN_NAN;
    if (x == y) /* -0 is below +0 */
        return (signbit(x) != 0) == is_min ? x : y;
    return (x < y) == is_min ? x : y;
}

uint32_t redux_fold(enum redux_mode mode, uint32_t x, uint32_t y)
{
    switch (mode) {
    case REDUX_ADD:
        return x + y;
    case REDUX_AND:
        return x & y;
    case REDUX_OR:
        return x | y;
    case REDUX_XOR:
        return x ^ y;
    case REDUX_MIN_U32:
        return x < y ? x : y;
    case REDUX_MAX_U32:
        return x > y ? x : y;
    case REDUX_MIN_S32:
        return (int32_t)x < (int32_t)y ? x : y;
    case REDUX_MAX_S32:
        return (int32_t)x > (int32_t)y ? x : y;
    default:
        return f32_bits(fold_float(mode, f32_from_bits(x), f32_from_bits(y)));
    }
}

uint32_t redux_lanes(enum redux_mode mode, const uint32_t *values, uint32_t members)
{
    uint32_t sum = 0;
    bool is_first = true;
    for (int i = 0; i < LANES; i++) {
        if (!(members >> i & 1))
            continue;
        sum = is_first ? values[i] : redux_fold(mode, sum, values[i]);
        is_first = false;
    }
    return sum;
}
