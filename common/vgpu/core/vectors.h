/* vectors.h - four words at a time, for loops over 32 lanes that compilers do not make vectors of by themselves: those of
 * sixteen rounds are taken apart before, and those with several results are left alone.
 * The vectors are GCC's and Clang's own, so that every machine has them. They are as long as a register of all machines:
 * of longer ones, GCC for ARM takes some operations apart into single words. */
#ifndef VGPU_VECTORS_H
#define VGPU_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

enum { FOUR = 4 };

/* They may lie wherever their elements may. */
typedef uint32_t words4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t longs2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint16_t shorts8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* True if any bit is set. */
static ALWAYS_INLINE bool is_any_long(longs2 bits)
{
    return (bits[0] | bits[1]) != 0;
}

static ALWAYS_INLINE bool is_any_word(words4 bits)
{
    return is_any_long((longs2)bits);
}

static ALWAYS_INLINE bool is_any_byte(bytes16 bits)
{
    return is_any_long((longs2)bits);
}

#endif
