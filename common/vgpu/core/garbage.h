/* garbage.h - what memory holds before anybody has written to it: zeros, or garbage drawn from a seed.
 * A program that counts on zeros is wrong on a GPU, where memory holds what others left; garbage makes it wrong here too.
 * Garbage depends on the seed and the place alone, never on host threads. As floats and doubles it is ordinary numbers,
 * large and of either sign, so that sums, minima and maxima go visibly wrong and nothing becomes NaN. */
#ifndef VGPU_GARBAGE_H
#define VGPU_GARBAGE_H

#include <stddef.h>
#include <stdint.h>

struct block;

/* The bytes [from, end) of some memory that begins at bytes; from is a multiple of 4. Seed and key decide what they are;
 * zeros if the seed is 0. */
void garbage_fill(void *bytes, size_t from, size_t end, uint64_t seed, uint64_t key);

/* What of a block: shared memory, or the registers or the local memory of a warp. */
enum garbage_part { GARBAGE_SHARED, GARBAGE_REGISTERS, GARBAGE_LOCAL };
/* By the seed of the block's launch. */
void garbage_fill_block(const struct block *block, enum garbage_part part, uint32_t warp, void *bytes,
                        size_t from, size_t end);

#endif
