/* generators.h - cuRAND's two generators on the CPU, written from their definitions.
 * Nothing is taken from cuRAND's code or tables, so the two can only agree if both are right. */
#ifndef GENERATORS_H
#define GENERATORS_H

#include <stdint.h>

/* ------------------------------------------------------------------------------------------- XORWOW (Marsaglia 2003) */

enum { XORWOW_WORDS = 5 };

struct xorwow {
    uint32_t mixed[XORWOW_WORDS], count;
};

/* The first state of sequence 0 for a seed. */
struct xorwow xorwow_start(uint64_t seed);
uint32_t xorwow_next(struct xorwow *state);
/* From any place of a sequence to the same place of the next one, 2^67 steps ahead. */
void xorwow_next_sequence(struct xorwow *state);
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

#endif
