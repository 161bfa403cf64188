/* math.c - the approximate functions: reciprocals, roots, sin, cos, lg2, ex2, tanh. Written in f64 with
 * sums, products, quotients, square roots and bits only, which every host computes alike: the host's own
 * mathematical library is never asked. Not bit-equal to the hardware, but inside the error it documents. */
#include "alu/half.h"

#define same(x) (x)

static inline float single(double x)
{
    return f32_canonical((float)x);
}

static inline float single_flush(double x)
{
    return f32_flush(f32_canonical((float)x));
}

static inline uint16_t bf16_flush(uint16_t x)
{
    return (x & 0x7f80) == 0 ? x & 0x8000 : x;
}

static inline double nan_f64(double result, double x)
{
    const double none = f64_from_bits(x != x ? f64_bits(x) | (uint64_t)1 << 51 : 0xfff8000000000000);
    return result == result ? result : none;
}

/* The nearest integer, for |x| < 2^51: the sum's last bit is worth 1. */
static inline double nearest(double x)
{
    return x + 0x1.8p52 - 0x1.8p52;
}

/* 2^x: an integer power, set as an exponent, times the series of exp(f ln 2) for |f| <= 1/2. */
static inline double exp2_of(double x)
{
    const double clamped = x > 1000.0 ? 1000.0 : x < -1000.0 ? -1000.0 : x;
    const double whole = nearest(clamped), t = (clamped - whole) * 0x1.62e42fefa39efp-1;
    double sum = 1.0 / 3628800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1.0;
    sum = sum * t + 1.0;
    const int64_t power = x == x ? (int64_t)whole : 0;
    return x == x ? sum * f64_from_bits((uint64_t)(power + 1023) << 52) : x;
}

/* lg2(m * 2^e) = e + (2 / ln 2) atanh((m - 1) / (m + 1)), with m in [0.75, 1.5). */
static inline double log2_of(double x)
{
    const uint64_t bits = f64_bits(x);
    const int64_t shift = (bits & 0xfffffffffffff) >= 0x8000000000000 ? 1 : 0;
    const int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023 + shift;
    const double m = f64_from_bits((bits & 0xfffffffffffff) | (uint64_t)(1023 - shift) << 52);
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    double sum = 1.0 / 19;
    sum = sum * q + 1.0 / 17;
    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    sum = sum * q + 1.0;
    const double finite = (double)exponent + 0x1.71547652b82fep+1 * s * sum;
    const double infinity = f64_from_bits((uint64_t)0x7ff << 52);
    return x > 0.0 ? (x < infinity ? finite : x) : x == 0.0 ? -infinity : f64_from_bits(0x7ff8000000000000);
}

/* The angle in turns, as the hardware takes it: multiplied by f32's 1 / (2 pi), rounded toward zero. */
static inline float turns(float x)
{
    const double exact = (double)x * (double)f32_from_bits(0x3e22f983);
    const float rounded = (float)exact;
    const uint32_t bits = f32_bits(rounded);
    const bool is_beyond = __builtin_fabs((double)rounded) > __builtin_fabs(exact);
    return f32_from_bits(is_beyond ? bits - 1 : bits);
}

/* The sine of a quarter turn and less. */
static inline double sine_series(double turn)
{
    const double t = turn * 0x1.921fb54442d18p+2, q = -t * t;
    double sum = 1.0 / 1307674368000;
    sum = sum * q + 1.0 / 6227020800;
    sum = sum * q + 1.0 / 39916800;
    sum = sum * q + 1.0 / 362880;
    sum = sum * q + 1.0 / 5040;
    sum = sum * q + 1.0 / 120;
    sum = sum * q + 1.0 / 6;
    sum = sum * q + 1.0;
    return sum * t;
}

static inline double fraction_of_turn(float x)
{
    /* From 2^23 on a float has no fraction. */
    return __builtin_fabsf(x) < 0x1p23f ? (double)x - nearest((double)x) : (double)x - (double)x;
}

static inline double sine_of_turns(float x)
{
    const double r = fraction_of_turn(x);
    const double folded = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
    return x == 0.0f ? (double)x : sine_series(folded);
}

static inline double cosine_of_turns(float x)
{
    return sine_series(0.25 - __builtin_fabs(fraction_of_turn(x)));
}

/* Small arguments take the series, where the quotient would cancel. */
static inline double tanh_of(double x)
{
    const double power = exp2_of((x > 40.0 ? 40.0 : x < -40.0 ? -40.0 : x) * 0x1.71547652b82fep+1);
    const double quotient = (power - 1.0) / (power + 1.0), q = x * x;
    const double series = x * (1.0 - q * (1.0 / 3 - q * (2.0 / 15)));
    return __builtin_fabs(x) < 0.01 ? series : quotient;
}

/* a * (1 / b); a reciprocal below the normal range is lost. */
static inline double divide_fast(float x, float y)
{
    const double reciprocal = 1.0 / (double)y;
    const bool is_lost = __builtin_fabs(reciprocal) < 0x1p-126;
    return (double)x * (is_lost ? 0.0 * reciprocal : reciprocal);
}

/* The 64-bit approximations see and deliver the upper word only; subnormals are zeros to them. */
static inline double coarse_input(double x)
{
    const uint64_t bits = f64_bits(x);
    const bool is_subnormal = (bits & 0x7ff0000000000000) == 0;
    return f64_from_bits(is_subnormal ? bits & ((uint64_t)1 << 63) : bits & 0xffffffff00000000);
}

static inline double coarse(double x)
{
    const uint64_t bits = f64_bits(x);
    const uint64_t flushed =
        (bits & 0x7ff0000000000000) == 0 ? bits & ((uint64_t)1 << 63) : bits & 0xffffffff00000000;
    return f64_from_bits(x == x ? flushed : 0x7fffffff00000000);
}

#include "alu/rows_define.h"

#include "alu/math.def"

#include "alu/rows_list.h"

const struct form forms_math[] = {
#include "alu/math.def"
};
const size_t forms_math_count = sizeof forms_math / sizeof forms_math[0];
