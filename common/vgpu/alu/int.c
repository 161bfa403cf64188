/* int.c - integer arithmetic: sums, products, division, bits, carry chains.
 * Results equal the hardware's bit for bit, also where C leaves them undefined (division by zero, overflow).
 * Logic and shifts live in logic.c, the video instructions in video.c. */
#include "alu/lanes.h"

static inline int32_t clamp_s32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

#define relu(value)    ((value) > 0 ? (value) : 0)
#define wrap_add(x, y) ((uint64_t)(x) + (uint64_t)(y))
#define distance(x, y) ((x) > (y) ? (uint64_t)(x) - (uint64_t)(y) : (uint64_t)(y) - (uint64_t)(x))

#define high_u16(x, y) ((uint32_t)(x) * (uint32_t)(y) >> 16)
#define high_s16(x, y) ((int32_t)(x) * (int32_t)(y) >> 16)

static inline uint32_t high_u32(uint32_t x, uint32_t y)
{
    return (uint32_t)((uint64_t)x * y >> 32);
}

static inline int32_t high_s32(int32_t x, int32_t y)
{
    return (int32_t)((int64_t)x * y >> 32);
}

static inline uint64_t high_u64(uint64_t x, uint64_t y)
{
    return (uint64_t)((unsigned __int128)x * y >> 64);
}

static inline int64_t high_s64(int64_t x, int64_t y)
{
    return (int64_t)((__int128)x * y >> 64);
}

static inline uint64_t product24_u32(uint32_t x, uint32_t y)
{
    return (uint64_t)(x & 0xffffff) * (y & 0xffffff);
}

static inline int64_t product24_s32(int32_t x, int32_t y)
{
    const int32_t p = (int32_t)((uint32_t)x << 8) >> 8, q = (int32_t)((uint32_t)y << 8) >> 8;
    return (int64_t)p * q;
}

/* The dot products, for each mix of signed and unsigned elements. */
#define DOTS(A, B, byte_a, half_a, byte_b)                                                                   \
    static inline uint32_t dot4_##A##_##B(uint32_t x, uint32_t y, uint32_t z)                                \
    {                                                                                                        \
        for (int k = 0; k < 32; k += 8)                                                                      \
            z += (uint32_t)((int32_t)(byte_a)(x >> k) * (int32_t)(byte_b)(y >> k));                          \
        return z;                                                                                            \
    }                                                                                                        \
    static inline uint32_t dot2_##A##_##B(uint32_t x, uint32_t y, uint32_t z, int from)                      \
    {                                                                                                        \
        return z + (uint32_t)((int32_t)(half_a)x * (int32_t)(byte_b)(y >> from)) +                           \
               (uint32_t)((int32_t)(half_a)(x >> 16) * (int32_t)(byte_b)(y >> (from + 8)));                  \
    }
DOTS(u32, u32, uint8_t, uint16_t, uint8_t)
DOTS(u32, s32, uint8_t, uint16_t, int8_t)
DOTS(s32, u32, int8_t, int16_t, uint8_t)
DOTS(s32, s32, int8_t, int16_t, int8_t)

/* A divisor of 0 or -1 never reaches the host's divide instruction. */
#define UNSIGNED_DIVISION(T, C)                                                                              \
    static inline C quotient_##T(C x, C y)                                                                   \
    {                                                                                                        \
        return y ? (C)(x / y) : (C) ~(C)0;                                                                   \
    }                                                                                                        \
    static inline C remainder_##T(C x, C y)                                                                  \
    {                                                                                                        \
        return y ? (C)(x % y) : (C) ~(C)0;                                                                   \
    }
#define SIGNED_DIVISION(T, C, U)                                                                             \
    static inline C quotient_##T(C x, C y)                                                                   \
    {                                                                                                        \
        return y == 0 ? (C)-1 : y == -1 ? (C)(0 - (U)x) : (C)(x / y);                                        \
    }                                                                                                        \
    static inline C remainder_##T(C x, C y)                                                                  \
    {                                                                                                        \
        return y == 0 ? (C)-1 : y == -1 ? 0 : (C)(x % y);                                                    \
    }
UNSIGNED_DIVISION(u16, uint16_t)
UNSIGNED_DIVISION(u32, uint32_t)
UNSIGNED_DIVISION(u64, uint64_t)
SIGNED_DIVISION(s16, int16_t, uint16_t)
SIGNED_DIVISION(s32, int32_t, uint32_t)
SIGNED_DIVISION(s64, int64_t, uint64_t)

/* A warp mostly has one divisor: it is divided once for all lanes, and each lane multiplies. That quotient is at most two too
 * small. */
static inline bool has_one_divisor(const uint64_t *y)
{
    uint64_t others = 0;
    EACH_LANE(i) others |= y[i] ^ y[0];
    return y[0] && !others;
}

static inline uint64_t divide_by_product(uint64_t x, uint64_t y, uint64_t inverse, uint64_t *rest)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)x * inverse >> 64);
    *rest = x - quotient * y;
    for (int k = 0; k < 2; k++)
        if (*rest >= y) {
            quotient++;
            *rest -= y;
        }
    return quotient;
}

ROW_FUNCTION(div_u64)
{
    const uint64_t *x = a, *y = b, divisor = y[0];
    const bool is_one = has_one_divisor(y);
    const uint64_t inverse = is_one ? UINT64_MAX / divisor : 0;
    uint64_t *out = d, rest;
    (void)c;
    EACH_LANE(i)
    out[i] = is_one ? divide_by_product(x[i], divisor, inverse, &rest) : quotient_u64(x[i], y[i]);
}

ROW_FUNCTION(rem_u64)
{
    const uint64_t *x = a, *y = b, divisor = y[0];
    const bool is_one = has_one_divisor(y);
    const uint64_t inverse = is_one ? UINT64_MAX / divisor : 0;
    uint64_t *out = d, rest;
    (void)c;
    EACH_LANE(i)
    {
        if (is_one)
            divide_by_product(x[i], divisor, inverse, &rest);
        out[i] = is_one ? rest : remainder_u64(x[i], y[i]);
    }
}

static inline uint32_t popcount_u32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

static inline uint32_t popcount_u64(uint64_t x)
{
    return popcount_u32((uint32_t)x) + popcount_u32((uint32_t)(x >> 32));
}

static inline uint32_t reverse_u32(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

static inline uint64_t reverse_u64(uint64_t x)
{
    return (uint64_t)reverse_u32((uint32_t)x) << 32 | reverse_u32((uint32_t)(x >> 32));
}

static inline uint32_t find_top(uint64_t x)
{
    return x ? 63u - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static inline uint32_t shift_to_top(uint64_t x, uint32_t top)
{
    return x ? top - find_top(x) : UINT32_MAX;
}

/* Offset 0 asks whether the base bit itself is set; otherwise bits are counted away from the base, base
 * included. The most negative offset, which has no opposite, finds bit 0 on hardware. */
static inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == INT32_MIN)
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    const int32_t step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? (int64_t)offset : -(int64_t)offset;
    for (int32_t bit = (int32_t)base; bit >= 0 && bit < 32; bit += step)
        if (mask >> bit & 1 && --left == 0)
            return (uint32_t)bit;
    return UINT32_MAX;
}

static inline uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

/* Bit fields. Position and length count modulo 256 in 32 bits, and as they are in 64 bits, where what is
 * past the width is all the same. Shift amounts are kept in range without branches. */
#define place_u32(count) ((count)&255)
#define place_u64(count) ((count) < 255 ? (count) : 255)
#define FIELDS(bits, U, S)                                                                                   \
    static inline U ones_u##bits(uint32_t count)                                                             \
    {                                                                                                        \
        const U some = ((U)1 << (count & (bits - 1))) - 1;                                                   \
        return count >= bits ? ~(U)0 : some;                                                                 \
    }                                                                                                        \
    static inline U extract_u##bits(U x, uint32_t position, uint32_t length)                                 \
    {                                                                                                        \
        const uint32_t from = place_u##bits(position);                                                       \
        const U field = x >> (from & (bits - 1)) & ones_u##bits(place_u##bits(length));                      \
        return from >= bits ? 0 : field;                                                                     \
    }                                                                                                        \
    /* Bits past the top, and those beyond the field, repeat the field's highest bit that exists. */         \
    static inline U extract_s##bits(U x, uint32_t position, uint32_t length)                                 \
    {                                                                                                        \
        const uint32_t from = place_u##bits(position), count = place_u##bits(length), end = from + count;    \
        const uint32_t last = (end < bits ? end : bits) - (end > 0 ? 1 : 0);                                 \
        const U sign = 0 - (x >> (last & (bits - 1)) & 1);                                                   \
        const U keep = ones_u##bits(count), shifted = (U)((S)x >> (from < bits ? from : bits - 1));          \
        return count == 0 ? 0 : (shifted & keep) | (sign & ~keep);                                           \
    }                                                                                                        \
    static inline U insert_u##bits(U x, U y, uint32_t position, uint32_t length)                             \
    {                                                                                                        \
        const uint32_t from = place_u##bits(position), shift = from & (bits - 1);                            \
        const U wanted = ones_u##bits(place_u##bits(length)) << shift, field = from >= bits ? 0 : wanted;    \
        return (y & ~field) | (x << shift & field);                                                          \
    }
FIELDS(32, uint32_t, int32_t)
FIELDS(64, uint64_t, int64_t)

static inline uint32_t mask_clamp(uint32_t position, uint32_t width)
{
    if (position >= 32)
        return 0;
    const uint64_t end = (uint64_t)position + width;
    return (uint32_t)(low_bits(end > 32 ? 32 : (uint32_t)end) & ~low_bits(position));
}

static inline uint32_t zero_extend(uint32_t x, uint32_t width)
{
    return width >= 32 ? x : x & (uint32_t)low_bits(width);
}

static inline uint32_t sign_extend(uint32_t x, uint32_t width)
{
    if (width == 0 || width >= 32)
        return width ? x : 0;
    return (uint32_t)((int32_t)(x << (32 - width)) >> (32 - width));
}

#include "alu/rows_define.h"

#include "alu/int.def"

#include "alu/rows_list.h"

const struct form forms_int[] = {
#include "alu/int.def"
};
const size_t forms_int_count = sizeof forms_int / sizeof forms_int[0];
