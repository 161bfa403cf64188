/* vectors.h - eight words at a time, for loops over 32 lanes that compilers do not make vectors of by themselves: those of
 * sixteen rounds are taken apart before, and those with several results are left alone.
 * The vectors are GCC's and Clang's own, so that every machine has them, in as many registers as it takes. */
#ifndef VGPU_VECTORS_H
#define VGPU_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { EIGHT = 8 };

/* They may lie wherever their elements may. */
typedef uint32_t words8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t longs4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint16_t shorts8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* True if any bit is set. */
static ALWAYS_INLINE bool is_any_long(longs4 bits)
{
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

static ALWAYS_INLINE bool is_any_word(words8 bits)
{
    return is_any_long((longs4)bits);
}

static ALWAYS_INLINE bool is_any_byte(bytes16 bits)
{
    uint64_t halves[2];
    memcpy(halves, &bits, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

#endif
