/* generators.h - cuRAND's two generators on the CPU, written from their definitions.
 * Nothing is taken from cuRAND's code or tables, so the two can only agree if both are right. */
#ifndef GENERATORS_H
#define GENERATORS_H

#include <stdint.h>

/* ------------------------------------------------------------------------------------------- XORWOW (Marsaglia 2003) */

enum { XORWOW_WORDS = 5, XORWOW_COUNT = 362437 };

struct xorwow {
    uint32_t mixed[XORWOW_WORDS], count;
};

/* The first state of sequence 0 for a seed. */
struct xorwow xorwow_start(uint64_t seed);
/* One step: the five words move up, and a sixth one counts. Here, so that loops keep the state in registers. */
static inline uint32_t xorwow_next(struct xorwow *state)
{
    uint32_t *v = state->mixed, t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
    return v[4] + (state->count += XORWOW_COUNT);
}
/* From any place of a sequence to the same place of the next one, 2^67 steps ahead. */
void xorwow_next_sequence(struct xorwow *state);
/* The first state of a sequence. */
struct xorwow xorwow_sequence(uint64_t seed, uint64_t sequence);
/* 2^log2_steps steps at once. */
void xorwow_jump(struct xorwow *state, int log2_steps);

/* ------------------------------------------------------------------------------------------- Philox4x32-10
 * (Salmon and others 2011.) Output block q is q, enciphered: ten rounds of two multiplications. There is no state. */

struct philox_block {
    uint32_t word[4];
};

struct philox_block philox(struct philox_block counter, uint64_t key);
/* Output block q for a seed. */
struct philox_block philox_output(uint64_t seed, uint64_t q);

enum { PHILOX_LANES = 32 };

/* Blocks q to q + 31 side by side, in less than half of the time: compilers turn the lanes into vectors. */
struct philox_lanes {
    uint32_t word[4][PHILOX_LANES];
};

void philox_outputs(uint64_t seed, uint64_t q, struct philox_lanes *out);

#endif
