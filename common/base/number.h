/* number.h - small arithmetic on sizes and the like. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The smaller and the larger of any two numbers; mixed types become one by C's rules. */
#define smaller_of(a, b) NUMBER_CHOOSE(smaller, a, b)
#define larger_of(a, b)  NUMBER_CHOOSE(larger, a, b)

/* clang-format off */
#define NUMBER_CHOOSE(which, a, b)                                                                           \
    _Generic((a) + (b),                                                                                      \
        int: which##_int,                                                                                    \
        unsigned: which##_unsigned,                                                                          \
        long: which##_long,                                                                                  \
        unsigned long: which##_unsigned_long,                                                                \
        double: which##_double)(a, b)
/* clang-format on */

#define NUMBER_TYPE(name, type)                                                                              \
    static inline type smaller_##name(type a, type b)                                                        \
    {                                                                                                        \
        return a < b ? a : b;                                                                                \
    }                                                                                                        \
    static inline type larger_##name(type a, type b)                                                         \
    {                                                                                                        \
        return a > b ? a : b;                                                                                \
    }
NUMBER_TYPE(int, int)
NUMBER_TYPE(unsigned, unsigned)
NUMBER_TYPE(long, long)
NUMBER_TYPE(unsigned_long, unsigned long)
NUMBER_TYPE(double, double)
#undef NUMBER_TYPE

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
