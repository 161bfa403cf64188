/* half.h - the 16-bit float formats: f16 (5 bits of exponent) and bf16 (8 bits), as values of C types. Every
 * conversion is exact or correctly rounded, written in integers and f32 so that loops over it vectorise.
 * Instructions are in half.def and cvt.def. */
#ifndef VGPU_HALF_H
#define VGPU_HALF_H

#include "alu/lanes.h"

enum { HALF_NAN = 0x7fff, BF16_NAN = 0x7fff };
enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

static inline float half_to_float(uint16_t h)
{
    const uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    /* 2^112 moves the exponent's bias, and normalises subnormals on the way. */
    const uint32_t finite = f32_bits(f32_from_bits(magnitude) * 0x1p112f);
    const uint32_t special = magnitude | 0x7f800000;
    return f32_from_bits((magnitude >= 0x0f800000 ? special : finite) | (uint32_t)(h & 0x8000) << 16);
}

/* Rounded to nearest even; what is not a number becomes HALF_NAN. */
static inline uint16_t half_from_float(float x)
{
    const uint32_t bits = f32_bits(x), magnitude = bits & 0x7fffffff;
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    /* Adding 0.5 aligns the lowest bit of a subnormal f16 with the lowest bit of the sum. */
    const uint32_t subnormal = f32_bits(f32_from_bits(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t small = magnitude < 0x38800000 ? subnormal : normal;
    const uint32_t finite = (magnitude >= 0x477ff000 ? 0x7c00 : small) | (bits >> 16 & 0x8000);
    return (uint16_t)(magnitude > 0x7f800000 ? HALF_NAN : finite);
}

static inline float bf16_to_float(uint16_t h)
{
    return f32_from_bits((uint32_t)h << 16);
}

static inline uint16_t bf16_from_float(float x)
{
    const uint32_t bits = f32_bits(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? BF16_NAN : rounded);
}

/* Given a nearest sum and its error, the neighbour with an odd last bit, so that a second rounding cannot go
 * wrong. */
static inline float f32_to_odd(float sum, float error)
{
    const uint32_t bits = f32_bits(sum);
    const bool is_inexact =
        error == error && error != 0.0f && (bits & 1) == 0 && (bits & 0x7f800000) != 0x7f800000;
    const uint32_t step = (error > 0.0f) == (sum > 0.0f) ? 1u : ~0u;
    return f32_from_bits(is_inexact ? bits + step : bits);
}

static inline double f64_to_odd(double sum, double error)
{
    const uint64_t bits = f64_bits(sum);
    const bool is_inexact = error == error && error != 0.0 && (bits & 1) == 0 && sum - sum == 0.0;
    const uint64_t step = (error > 0.0) == (sum > 0.0) ? 1u : ~(uint64_t)0;
    return f64_from_bits(is_inexact ? bits + step : bits);
}

/* A double as the f32 that is odd if inexact; overflow stops at the largest number, which is odd. */
static inline float f32_odd_from_f64(double x)
{
    const float nearest = (float)x;
    const uint32_t bits = f32_bits(nearest);
    const double error = x - (double)nearest;
    const bool is_inexact = error == error && error != 0.0 && (bits & 1) == 0;
    const bool is_outward = (error > 0.0) == !(bits >> 31);
    return f32_from_bits(is_inexact ? (is_outward ? bits + 1 : bits - 1) : bits);
}

/* a * b + c as an f32 that rounds on correctly. The product of two f16 is exact in f32, the sum by its error
 * term. */
static inline float half_fma_exact(float x, float y, float z)
{
    const float product = x * y, sum = product + z;
    const float part = sum - product;
    const float error = (product - (sum - part)) + (z - part);
    return f32_to_odd(sum, error);
}

static inline uint16_t half_fma(float x, float y, float z)
{
    return half_from_float(half_fma_exact(x, y, z));
}

static inline uint16_t bf16_fma(float x, float y, float z)
{
    const double product = (double)x * y, sum = product + z;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (z - part);
    return bf16_from_float(f32_odd_from_f64(f64_to_odd(sum, error)));
}

/* Any double, rounded as asked to a format with that many fraction bits and that smallest normal exponent;
 * the largest exponent is the smallest one's mirror. What is not a number keeps its sign and the top of its
 * payload, and is made quiet. */
static inline uint16_t small_from_double(double x, enum rounding rounding, int fraction, int min_exponent)
{
    const uint64_t bits = f64_bits(x);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    const uint16_t infinity = (uint16_t)(0x7fffu & ~((1u << fraction) - 1));
    if (x != x)
        return (uint16_t)(sign | infinity | 1u << (fraction - 1) |
                          (bits & 0xfffffffffffff) >> (52 - fraction));
    const bool away = rounding == ROUND_UP ? !sign : rounding == ROUND_DOWN ? sign != 0 : false;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent > 1 - min_exponent && exponent != 1024)
        return (uint16_t)(sign | (rounding == ROUND_NEAREST || away ? infinity : infinity - 1));
    if (exponent == 1024)
        return sign | infinity;
    const int base = exponent > min_exponent ? exponent : min_exponent;
    const uint64_t mantissa = (bits & 0xfffffffffffff) | (exponent > -1023 ? (uint64_t)1 << 52 : 0);
    int drop = 52 - fraction + (base - exponent);
    drop = drop > 63 ? 63 : drop;
    const uint64_t kept = mantissa >> drop, rest = mantissa & (((uint64_t)1 << drop) - 1),
                   half = (uint64_t)1 << (drop - 1);
    const bool nearest_up = rest > half || (rest == half && (kept & 1));
    const bool up = rounding == ROUND_NEAREST ? nearest_up : away && rest != 0;
    const uint64_t code = kept + up + ((uint64_t)(base - min_exponent) << fraction);
    if (code >= infinity)
        return (uint16_t)(sign | (rounding == ROUND_NEAREST || away ? infinity : infinity - 1));
    return (uint16_t)(sign | code);
}

static inline uint16_t half_from_double(double x, enum rounding rounding)
{
    return small_from_double(x, rounding, 10, -14);
}

static inline uint16_t bf16_from_double(double x, enum rounding rounding)
{
    return small_from_double(x, rounding, 7, -126);
}

static inline uint16_t half_flush(uint16_t h)
{
    return (h & 0x7c00) == 0 ? h & 0x8000 : h;
}

static inline bool half_is_nan(uint16_t h)
{
    return (h & 0x7fff) > 0x7c00;
}

static inline bool bf16_is_nan(uint16_t h)
{
    return (h & 0x7fff) > 0x7f80;
}

/* Clamps to [0, 1]; what is not a number becomes +0. */
static inline uint16_t half_saturate(uint16_t h)
{
    return (uint16_t)(half_is_nan(h) || h >= 0x8000 ? 0 : h > 0x3c00 ? 0x3c00 : h);
}

static inline uint16_t bf16_saturate(uint16_t h)
{
    return (uint16_t)(bf16_is_nan(h) || h >= 0x8000 ? 0 : h > 0x3f80 ? 0x3f80 : h);
}

/* Negative numbers become +0; what is not a number stays. */
static inline uint16_t half_relu(uint16_t h)
{
    return h >= 0x8000 && !half_is_nan(h) ? 0 : h;
}

static inline uint16_t bf16_relu(uint16_t h)
{
    return h >= 0x8000 && !bf16_is_nan(h) ? 0 : h;
}

#endif
