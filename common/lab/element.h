/* element.h - one element of a buffer: how it is drawn from a seed, and when it counts as right.
 * The host (inputs.c, compare.c) and the kit's kernels (device.cu) compile the same lines, so both give the
 * same bits: what could be rounded twice is one fma. Buffers, coordinates and messages are not its subject. */
#ifndef LAB_ELEMENT_H
#define LAB_ELEMENT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lab/lab.h"

#ifdef __CUDACC__
#define LAB_BOTH __host__ __device__ static inline
#else
#define LAB_BOTH static inline
#endif

/* ------------------------------------------------------------------------------------------- drawing */

/* The finaliser of splitmix64: every bit of z reaches every bit of the result. */
LAB_BOTH uint64_t element_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The seed is mixed by itself first: neighbouring seeds must not give the same sequence, shifted. */
LAB_BOTH uint64_t element_hash(uint64_t seed, uint64_t i)
{
    return element_mix(element_mix(seed) + (i + 1) * 0x9e3779b97f4a7c15u);
}

/* Uniform in [low, high): a result that rounding lifted to high starts again at low. */
LAB_BOTH float element_float(uint64_t hash, float low, float high)
{
    float value = fmaf((float)(hash >> 40) * 0x1p-24f, high - low, low);
    return value < high ? value : low;
}

LAB_BOTH double element_double(uint64_t hash, double low, double high)
{
    double value = fma((double)(hash >> 11) * 0x1p-53, high - low, low);
    return value < high ? value : low;
}

/* The upper half of a product. */
LAB_BOTH uint64_t element_high(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)((unsigned __int128)a * b >> 64);
#endif
}

/* value % span. In a loop over elements the one division is done before it: a CPU and a GPU take longer for a remainder of 64 bits than
 * for all the rest of an element. The quotient is at most two too small. */
LAB_BOTH uint64_t element_rest(uint64_t value, uint64_t span)
{
    const uint64_t inverse = UINT64_MAX / span;
    uint64_t rest = value - element_high(value, inverse) * span;
    rest = rest >= span ? rest - span : rest;
    return rest >= span ? rest - span : rest;
}

/* How many integers there are in [low, high], which both lie within int64_t; 0: all of them. */
LAB_BOTH uint64_t element_span(double low, double high)
{
    return (uint64_t)(int64_t)high - (uint64_t)(int64_t)low + 1;
}

/* The share of span that hash is of 2^64: uniform, and without a division. Where 32 bits are enough, hosts do several at a time. */
LAB_BOTH uint64_t element_share(uint64_t hash, uint64_t span)
{
    return !span ? hash : span <= UINT32_MAX ? (hash >> 32) * span >> 32 : element_high(hash, span);
}

/* Uniform in [low, high]. */
LAB_BOTH uint64_t element_integer(uint64_t hash, double low, double high)
{
    return (uint64_t)(int64_t)low + element_share(hash, element_span(low, high));
}

LAB_BOTH bool element_is_real(enum lab_type type)
{
    return type == LAB_FLOAT || type == LAB_DOUBLE;
}

/* The bits of an element, in the low bytes. */
LAB_BOTH uint64_t element_draw(enum lab_type type, uint64_t hash, double low, double high)
{
    uint64_t bits = 0;
    if (type == LAB_FLOAT) {
        float value = element_float(hash, (float)low, (float)high);
        memcpy(&bits, &value, sizeof value);
    } else if (type == LAB_DOUBLE) {
        double value = element_double(hash, low, high);
        memcpy(&bits, &value, sizeof value);
    } else {
        bits = element_integer(hash, low, high);
    }
    return bits;
}

/* ------------------------------------------------------------------------------------------- bytes */

LAB_BOTH uint32_t element_bytes(enum lab_type type)
{
    if (type == LAB_BYTE)
        return 1;
    return type == LAB_DOUBLE || type == LAB_INT64 || type == LAB_UINT64 ? 8 : 4;
}

LAB_BOTH void element_store(enum lab_type type, void *array, size_t i, uint64_t bits)
{
    switch (element_bytes(type)) {
    case 1:
        ((uint8_t *)array)[i] = (uint8_t)bits;
        break;
    case 4:
        ((uint32_t *)array)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)array)[i] = bits;
    }
}

LAB_BOTH uint64_t element_load(enum lab_type type, const void *array, size_t i)
{
    switch (element_bytes(type)) {
    case 1:
        return ((const uint8_t *)array)[i];
    case 4:
        return ((const uint32_t *)array)[i];
    default:
        return ((const uint64_t *)array)[i];
    }
}

LAB_BOTH bool element_is_poison(enum lab_type type, uint64_t bits)
{
    return bits == ~(uint64_t)0 >> (64 - 8 * element_bytes(type));
}

/* 64-bit integers beyond 2^53 lose their last bits here. */
LAB_BOTH double element_value(enum lab_type type, uint64_t bits)
{
    float single;
    double value;
    switch (type) {
    case LAB_FLOAT:
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    case LAB_DOUBLE:
        memcpy(&value, &bits, sizeof value);
        return value;
    case LAB_INT:
        return (double)(int32_t)bits;
    case LAB_INT64:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

/* The other way: a number that the type can hold, as bits. */
LAB_BOTH uint64_t element_bits(enum lab_type type, double value)
{
    uint64_t bits = 0;
    float single = (float)value;
    if (type == LAB_FLOAT)
        memcpy(&bits, &single, sizeof single);
    else if (type == LAB_DOUBLE)
        memcpy(&bits, &value, sizeof value);
    else
        bits = (uint64_t)(int64_t)value;
    return bits;
}

/* ------------------------------------------------------------------------------------------- comparing */

/* How far an element is off; INFINITY where NaN or an infinity stands on one side only. */
LAB_BOTH double element_error(double got, double want)
{
    if (got == want || (isnan(got) && isnan(want)))
        return 0;
    return isfinite(got) && isfinite(want) ? fabs(got - want) : (double)INFINITY;
}

/* How far it may be off. */
LAB_BOTH double element_allowed(double relative, double absolute, double want)
{
    return isfinite(want) ? fma(relative, fabs(want), absolute) : 0;
}

/* The poison is a NaN, but not one that a reference asks for: an element that was never written is wrong. */
LAB_BOTH bool element_matches(enum lab_type type, double relative, double absolute, uint64_t got,
                              uint64_t want)
{
    if (got == want)
        return true;
    if (element_is_poison(type, got))
        return false;
    double value = element_value(type, got), right = element_value(type, want);
    if (relative == 0 && absolute == 0)
        return isnan(value) && isnan(right);
    return element_error(value, right) <= element_allowed(relative, absolute, right);
}

#endif
