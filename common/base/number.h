/* number.h - small arithmetic on sizes and the like. Each argument is looked at once. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Of any two numbers; mixed types become one by C's rules. */
#define smaller_of(a, b)                                                                                     \
    (__extension__({                                                                                         \
        __typeof__(a) smaller_a = (a);                                                                       \
        __typeof__(b) smaller_b = (b);                                                                       \
        smaller_a < smaller_b ? smaller_a : smaller_b;                                                       \
    }))
#define larger_of(a, b)                                                                                      \
    (__extension__({                                                                                         \
        __typeof__(a) larger_a = (a);                                                                        \
        __typeof__(b) larger_b = (b);                                                                        \
        larger_a > larger_b ? larger_a : larger_b;                                                           \
    }))

/* The next multiple of unit, which is not 0; value itself if it is one. The sum must fit 64 bits. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* How many units hold value. */
static inline uint64_t divide_up(uint64_t value, uint64_t unit)
{
    return value / unit + (value % unit != 0);
}

/* The number that size bytes (at most 8) of a file stand for, the lowest byte first; they need not be aligned. */
static inline uint64_t number_at(const void *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | ((const uint8_t *)bytes)[i];
    return value;
}

#endif
