/* cvt.c - conversions between all types. Results out of range clamp, and what is not a number becomes what
 * the hardware makes of it: never C's undefined. Widening and narrowing of registers that are larger than a
 * type is decode/decode.c's. */
#include "alu/half.h"
#include "alu/round.h"

/* The number that a register holds as a type, and the register that holds a number as a type. */
#define VALUE_u8(x)  ((uint8_t)(x))
#define VALUE_s8(x)  ((int8_t)(x))
#define VALUE_u16(x) (x)
#define VALUE_s16(x) (x)
#define VALUE_u32(x) (x)
#define VALUE_s32(x) (x)
#define VALUE_u64(x) (x)
#define VALUE_s64(x) (x)
#define STORE_u8(x)  ((uint8_t)(x))
#define STORE_s8(x)  ((int8_t)(x))
#define STORE_u16(x) (x)
#define STORE_s16(x) (x)
#define STORE_u32(x) (x)
#define STORE_s32(x) (x)
#define STORE_u64(x) (x)
#define STORE_s64(x) (x)

#define MIN_u8  0
#define MAX_u8  UINT8_MAX
#define MIN_s8  INT8_MIN
#define MAX_s8  INT8_MAX
#define MIN_u16 0
#define MAX_u16 UINT16_MAX
#define MIN_s16 INT16_MIN
#define MAX_s16 INT16_MAX
#define MIN_u32 0
#define MAX_u32 UINT32_MAX
#define MIN_s32 INT32_MIN
#define MAX_s32 INT32_MAX
#define MIN_u64 0
#define MAX_u64 UINT64_MAX
#define MIN_s64 INT64_MIN
#define MAX_s64 INT64_MAX

static inline int64_t clamp_signed(int64_t value, int64_t low, uint64_t high)
{
    return value < low ? low : value > 0 && (uint64_t)value > high ? (int64_t)high : value;
}

static inline uint64_t clamp_unsigned(uint64_t value, uint64_t high)
{
    return value > high ? high : value;
}

#define clamp_u8(value, low, high)  clamp_unsigned(value, high)
#define clamp_u16(value, low, high) clamp_unsigned(value, high)
#define clamp_u32(value, low, high) clamp_unsigned(value, high)
#define clamp_u64(value, low, high) clamp_unsigned(value, high)
#define clamp_s8(value, low, high)  clamp_signed(value, low, high)
#define clamp_s16(value, low, high) clamp_signed(value, low, high)
#define clamp_s32(value, low, high) clamp_signed(value, low, high)
#define clamp_s64(value, low, high) clamp_signed(value, low, high)

static inline int32_t limit(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* An integer as a double that rounds on like the integer itself: bits that do not fit leave their trace in
 * bit 11. */
static inline double odd_u64(uint64_t value)
{
    const uint64_t rest = value & 0x7ff;
    return (double)(value >> 53 && rest ? (value & ~(uint64_t)0x7ff) | 0x800 : value);
}

static inline double odd_s64(int64_t value)
{
    return value < 0 ? -odd_u64(0 - (uint64_t)value) : odd_u64((uint64_t)value);
}

#define odd_u8(value)  (double)(value)
#define odd_s8(value)  (double)(value)
#define odd_u16(value) (double)(value)
#define odd_s16(value) (double)(value)
#define odd_u32(value) (double)(value)
#define odd_s32(value) (double)(value)

/* Rounding to an integer. f16 and bf16 arrive as the f32 they widen to. */
#define same(x)     (x)
#define rni_f32(x)  __builtin_rintf(x)
#define rzi_f32(x)  __builtin_truncf(x)
#define rmi_f32(x)  __builtin_floorf(x)
#define rpi_f32(x)  __builtin_ceilf(x)
#define rni_f64(x)  __builtin_rint(x)
#define rzi_f64(x)  __builtin_trunc(x)
#define rmi_f64(x)  __builtin_floor(x)
#define rpi_f64(x)  __builtin_ceil(x)
#define rni_f16(x)  rni_f32(x)
#define rzi_f16(x)  rzi_f32(x)
#define rmi_f16(x)  rmi_f32(x)
#define rpi_f16(x)  rpi_f32(x)
#define rni_bf16(x) rni_f32(x)
#define rzi_bf16(x) rzi_f32(x)
#define rmi_bf16(x) rmi_f32(x)
#define rpi_bf16(x) rpi_f32(x)

/* An integral float as an integer: `below` and `end` bound the range, both powers of two or zero. The cast
 * sees only values in range, so that it may run on every lane. */
#define FROM_FLOAT(D, A, F, W, below, end, none)                                                             \
    static inline W D##_from_##A(F x)                                                                        \
    {                                                                                                        \
        const bool fits = x >= (F)(below) && x < (F)(end);                                                   \
        const W value = (W)(fits ? x : (F)0);                                                                \
        const W outside = x != x ? (W)(none) : x > 0 ? (W)MAX_##D : (W)MIN_##D;                              \
        return fits ? value : outside;                                                                       \
    }
#define FROM_BYTE_SIZES(A, F, none)                                                                          \
    FROM_FLOAT(u8, A, F, int32_t, 0, 0x1p8, none)                                                            \
    FROM_FLOAT(s8, A, F, int32_t, -0x1p7, 0x1p7, none)
#define FROM_ALL_SIZES(A, F, none16, none32, none64)                                                         \
    FROM_FLOAT(u16, A, F, int32_t, 0, 0x1p16, none16)                                                        \
    FROM_FLOAT(s16, A, F, int32_t, -0x1p15, 0x1p15, none16)                                                  \
    FROM_FLOAT(u32, A, F, uint32_t, 0, 0x1p32, none32)                                                       \
    FROM_FLOAT(s32, A, F, int32_t, -0x1p31, 0x1p31, none32)                                                  \
    FROM_FLOAT(u64, A, F, uint64_t, 0, 0x1p64, none64)                                                       \
    FROM_FLOAT(s64, A, F, int64_t, -0x1p63, 0x1p63, none64)
FROM_BYTE_SIZES(f32, float, 0)
FROM_BYTE_SIZES(f16, float, 0)
FROM_BYTE_SIZES(f64, double, 0x80)
FROM_ALL_SIZES(f32, float, 0, 0, (uint64_t)1 << 63)
FROM_ALL_SIZES(f16, float, 0, 0, (uint64_t)1 << 63)
FROM_ALL_SIZES(bf16, float, 0, 0, (uint64_t)1 << 63)
FROM_ALL_SIZES(f64, double, 0x8000, (uint32_t)1 << 31, (uint64_t)1 << 63)

static inline double nan_f64(double result, double x)
{
    return result == result ? result : f64_from_bits(f64_bits(x) | (uint64_t)1 << 51);
}

/* Wider floats; what is not a number takes the wider format's own form. */
static inline double widen_f32(float x)
{
    const uint32_t bits = f32_bits(x);
    const uint64_t payload = (uint64_t)(bits & 0x807fffff) << 29;
    const uint64_t special = (payload & 0xfffffffffffff) | (uint64_t)(bits >> 31) << 63 | 0x7ff8000000000000;
    return x == x ? (double)x : f64_from_bits(special);
}

static inline float widen_f16(uint16_t x)
{
    return f32_canonical(half_to_float(x));
}

static inline float widen_bf16(uint16_t x)
{
    return bf16_to_float(x);
}

static inline uint16_t half_directed(float x, enum rounding rounding)
{
    return x == x ? half_from_double((double)x, rounding) : HALF_NAN;
}

static inline uint16_t bf16_directed(float x, enum rounding rounding)
{
    return x == x ? bf16_from_double((double)x, rounding) : BF16_NAN;
}

/* A NaN keeps its sign and the top of its payload, and is made quiet. */
static inline float narrow(double x, float rounded)
{
    const uint64_t bits = f64_bits(x);
    const uint32_t special =
        (uint32_t)(bits >> 32 & 0x80000000) | 0x7fc00000 | (uint32_t)(bits >> 29 & 0x7fffff);
    return x == x ? rounded : f32_from_bits(special);
}

/* As in float.c: flushing looks at the result as rounded with an exponent of any size. */
static inline float narrow_flush(double x, float rounded)
{
    const float zero = f32_from_bits((uint32_t)(f64_bits(x) >> 32) & 0x80000000),
                scaled = (float)(x * 0x1p64);
    return __builtin_fabsf(scaled) < 0x1p-62f ? zero : narrow(x, rounded);
}

#define DIRECTION_rn ROUND_NEAREST
#define DIRECTION_rz ROUND_ZERO
#define DIRECTION_rm ROUND_DOWN
#define DIRECTION_rp ROUND_UP
#define half_rn(x)   half_from_float(x)
#define half_rz(x)   half_directed(x, ROUND_ZERO)
#define half_rm(x)   half_directed(x, ROUND_DOWN)
#define half_rp(x)   half_directed(x, ROUND_UP)
#define bf16_rn(x)   bf16_from_float(x)
#define bf16_rz(x)   bf16_directed(x, ROUND_ZERO)
#define bf16_rm(x)   bf16_directed(x, ROUND_DOWN)
#define bf16_rp(x)   bf16_directed(x, ROUND_UP)

/* Some hosts convert unsigned integers by a difference, which makes 0 a -0 when rounding down. */
#define NUMBER_rn(type, value) (type)(value)
#define NUMBER_rz(type, value) ((value) ? (type)(value) : (type)0)
#define NUMBER_rm(type, value) ((value) ? (type)(value) : (type)0)
#define NUMBER_rp(type, value) ((value) ? (type)(value) : (type)0)

static inline uint16_t finite_half(uint16_t h)
{
    return (h & 0x7fff) == 0x7c00 ? h - 1 : h;
}

static inline uint16_t finite_bf16(uint16_t h)
{
    return (h & 0x7fff) == 0x7f80 ? h - 1 : h;
}

static inline uint32_t finite_tf32(uint32_t bits)
{
    return (bits & 0x7f800000) == 0x7f800000 ? bits - 0x2000 : bits;
}

#define pack(high, low) ((uint32_t)(high) << 16 | (uint32_t)(low))

static inline uint32_t tf32_finish(float x, uint32_t rounded)
{
    return x == x ? rounded & 0xffffe000 : 0x7fffe000;
}

/* Infinities and NaNs are rounded like numbers. */
static inline uint32_t tf32_rna(float x)
{
    return (f32_bits(x) + 0x1000) & 0xffffe000;
}

static inline uint32_t tf32_rn(float x)
{
    const uint32_t bits = f32_bits(x);
    return tf32_finish(x, (bits & 0x7f800000) == 0x7f800000 ? bits : bits + 0xfff + (bits >> 13 & 1));
}

static inline uint32_t tf32_rz(float x)
{
    return tf32_finish(x, f32_bits(x));
}

static inline uint32_t tf32_relu(uint32_t bits)
{
    return bits >> 31 ? 0 : bits;
}

/* The 8-bit formats: e4m3 has no infinity and one NaN per sign, e5m2 is an f16 cut short. */
struct tiny {
    int fraction, min_exponent;
    uint8_t largest, nan;
};
static const struct tiny tiny_formats[] = {{3, -6, 0x7e, 0x7f}, {2, -14, 0x7b, 0x7f}};
enum tiny_kind { TINY_E4M3, TINY_E5M2 };

static inline uint8_t tiny_from_float(float x, enum tiny_kind kind, bool is_relu)
{
    const struct tiny *format = &tiny_formats[kind];
    if (x != x)
        return format->nan;
    if (is_relu && f32_bits(x) >> 31)
        return 0;
    const uint32_t bits = f32_bits(x);
    const uint8_t sign = (uint8_t)(bits >> 24 & 0x80);
    const int exponent = (int)(bits >> 23 & 0xff) - 127;
    if (exponent > 15)
        return sign | format->largest;
    const int base = exponent > format->min_exponent ? exponent : format->min_exponent;
    const uint32_t mantissa = (bits & 0x7fffff) | (exponent > -127 ? 1u << 23 : 0);
    const int wanted = 23 - format->fraction + (base - exponent), drop = wanted > 31 ? 31 : wanted;
    const uint32_t kept = mantissa >> drop, rest = mantissa & ((1u << drop) - 1), half = 1u << (drop - 1);
    const uint32_t up = rest > half || (rest == half && (kept & 1));
    const uint32_t code = kept + up + ((uint32_t)(base - format->min_exponent) << format->fraction);
    return (uint8_t)(sign | (code > format->largest ? format->largest : code));
}

static inline uint16_t tiny_pair(float high, float low, enum tiny_kind kind, bool is_relu)
{
    return (uint16_t)(tiny_from_float(high, kind, is_relu) << 8 | tiny_from_float(low, kind, is_relu));
}

static inline uint16_t half_from_tiny(uint8_t x, enum tiny_kind kind, bool is_relu)
{
    const struct tiny *format = &tiny_formats[kind];
    const uint8_t magnitude = x & 0x7f;
    if (magnitude > (kind == TINY_E5M2 ? 0x7c : format->largest))
        return HALF_NAN;
    if (is_relu && x >> 7)
        return 0;
    if (kind == TINY_E5M2)
        return (uint16_t)(x << 8);
    /* The exponent's bias moves from 7 to 15; f32 normalises what is subnormal in e4m3. */
    const float value = f32_from_bits((uint32_t)magnitude << 20) * 0x1p120f;
    return (uint16_t)((x & 0x80) << 8 | half_from_float(value));
}

static inline uint32_t untiny_pair(uint16_t x, enum tiny_kind kind, bool is_relu)
{
    return pack(half_from_tiny((uint8_t)(x >> 8), kind, is_relu), half_from_tiny((uint8_t)x, kind, is_relu));
}

#include "alu/rows_define.h"

#include "alu/cvt.def"

#include "alu/rows_list.h"

const struct form forms_cvt[] = {
#include "alu/cvt.def"
};
const size_t forms_cvt_count = sizeof forms_cvt / sizeof forms_cvt[0];
