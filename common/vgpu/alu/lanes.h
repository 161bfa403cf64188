/* lanes.h - how the arithmetic families define their rows. A .def file lists rows once; rows_define.h turns
 * it into functions, rows_list.h into the table of struct form. Expressions see the operands of one lane as
 * x, y, z and w. No row is defined here. */
#ifndef VGPU_LANES_H
#define VGPU_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "alu/forms.h"

/* Not every row can be vectorised (integer division cannot); that is no news worth a warning. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* PTX type to C type, and to the letter of a signature. Floats of 16 bits are handled as bits. */
#define C_b16    uint16_t
#define C_b32    uint32_t
#define C_b64    uint64_t
#define C_u8     uint16_t
#define C_s8     uint16_t
#define C_u16    uint16_t
#define C_s16    int16_t
#define C_u32    uint32_t
#define C_s32    int32_t
#define C_u64    uint64_t
#define C_s64    int64_t
#define C_f16    uint16_t
#define C_bf16   uint16_t
#define C_f32    float
#define C_f64    double
#define C_u16x2  uint32_t
#define C_s16x2  uint32_t
#define C_f16x2  uint32_t
#define C_bf16x2 uint32_t

#define S_b16    "h"
#define S_b32    "w"
#define S_b64    "d"
#define S_u8     "h"
#define S_s8     "h"
#define S_u16    "h"
#define S_s16    "h"
#define S_u32    "w"
#define S_s32    "w"
#define S_u64    "d"
#define S_s64    "d"
#define S_f16    "h"
#define S_bf16   "h"
#define S_f32    "f"
#define S_f64    "e"
#define S_u16x2  "w"
#define S_s16x2  "w"
#define S_f16x2  "w"
#define S_bf16x2 "w"

#define ROW_FUNCTION(id) static void id(void *d, const void *a, const void *b, const void *c)

#define LANES1(id, D, A, expr)                                                                               \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        (void)b, (void)c;                                                                                    \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
    }

#define LANES2(id, D, A, B, expr)                                                                            \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        const B *pb = b;                                                                                     \
        (void)c;                                                                                             \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
    }

#define LANES3(id, D, A, B, C, expr)                                                                         \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        const B *pb = b;                                                                                     \
        const C *pc = c;                                                                                     \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            const C z = pc[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
    }

#define LANES4(id, D, A, B, C, E, expr)                                                                      \
    static void id(void *d, const void *a, const void *b, const void *c, const void *e)                      \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        const B *pb = b;                                                                                     \
        const C *pc = c;                                                                                     \
        const E *pe = e;                                                                                     \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            const C z = pc[i];                                                                               \
            const E w = pe[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
    }

/* The same in another rounding mode: ROUND_BEGIN and ROUND_END of round.h stand around the loop. */
#define LANES_ROUNDED1(id, D, A, rnd, expr)                                                                  \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        ROUND_BEGIN_##rnd(d, a, b, c);                                                                       \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        (void)b, (void)c;                                                                                    \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
        ROUND_END_##rnd(d);                                                                                  \
    }

#define LANES_ROUNDED2(id, D, A, B, rnd, expr)                                                               \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        ROUND_BEGIN_##rnd(d, a, b, c);                                                                       \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        const B *pb = b;                                                                                     \
        (void)c;                                                                                             \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
        ROUND_END_##rnd(d);                                                                                  \
    }

#define LANES_ROUNDED3(id, D, A, B, C, rnd, expr)                                                            \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        ROUND_BEGIN_##rnd(d, a, b, c);                                                                       \
        D *out = d;                                                                                          \
        const A *pa = a;                                                                                     \
        const B *pb = b;                                                                                     \
        const C *pc = c;                                                                                     \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            const C z = pc[i];                                                                               \
            out[i] = (D)(expr);                                                                              \
        }                                                                                                    \
        ROUND_END_##rnd(d);                                                                                  \
    }

/* A predicate result: the lanes' truths become a mask by selecting lane weights, which vectorises to and +
 * or. */
#define LANES_TEST(id, A, B, use_y, expr)                                                                    \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        uint32_t mask = 0;                                                                                   \
        const A *pa = a;                                                                                     \
        const B *pb = (use_y) ? b : a;                                                                       \
        (void)b, (void)c;                                                                                    \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const A x = pa[i];                                                                               \
            const B y = pb[i];                                                                               \
            (void)y;                                                                                         \
            mask |= (expr) ? 1u << i : 0u;                                                                   \
        }                                                                                                    \
        *(uint32_t *)d = mask;                                                                               \
    }

/* Chooses between a and b by predicate c. */
#define LANES_SELECT(id, D)                                                                                  \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const D *pa = a, *pb = b;                                                                            \
        const uint32_t mask = *(const uint32_t *)c;                                                          \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const D x = pa[i], y = pb[i];                                                                    \
            out[i] = mask >> i & 1 ? x : y;                                                                  \
        }                                                                                                    \
    }

/* expr computes from x, y, z and carry_in (0 or 1); it sets result and carry_out. */
#define LANES_CARRY(id, D, expr)                                                                             \
    static void id(void *d, const void *a, const void *b, const void *c, uint32_t *carry)                    \
    {                                                                                                        \
        D *out = d;                                                                                          \
        const D *pa = a, *pb = b, *pc = c ? c : a;                                                           \
        const uint32_t before = *carry;                                                                      \
        uint32_t after = 0;                                                                                  \
        EACH_LANE(i)                                                                                         \
        {                                                                                                    \
            const D x = pa[i], y = pb[i], z = pc[i];                                                         \
            const D carry_in = before >> i & 1;                                                              \
            D result;                                                                                        \
            bool carry_out = carry_in;                                                                       \
            (void)z;                                                                                         \
            expr;                                                                                            \
            out[i] = result;                                                                                 \
            after |= carry_out ? 1u << i : 0u;                                                               \
        }                                                                                                    \
        *carry = after;                                                                                      \
    }

/* The same over the 64 half-lanes of a packed pair. */
#define HALVES1(id, expr)                                                                                    \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        uint16_t *out = d;                                                                                   \
        const uint16_t *pa = a;                                                                              \
        (void)b, (void)c;                                                                                    \
        EACH_HALF(i)                                                                                         \
        {                                                                                                    \
            const uint16_t x = pa[i];                                                                        \
            out[i] = (uint16_t)(expr);                                                                       \
        }                                                                                                    \
    }

#define HALVES2(id, T, expr)                                                                                 \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        T *out = d;                                                                                          \
        const T *pa = a, *pb = b;                                                                            \
        (void)c;                                                                                             \
        EACH_HALF(i)                                                                                         \
        {                                                                                                    \
            const T x = pa[i], y = pb[i];                                                                    \
            out[i] = (T)(expr);                                                                              \
        }                                                                                                    \
    }

#define HALVES3(id, expr)                                                                                    \
    ROW_FUNCTION(id)                                                                                         \
    {                                                                                                        \
        uint16_t *out = d;                                                                                   \
        const uint16_t *pa = a, *pb = b, *pc = c;                                                            \
        EACH_HALF(i)                                                                                         \
        {                                                                                                    \
            const uint16_t x = pa[i], y = pb[i], z = pc[i];                                                  \
            out[i] = (uint16_t)(expr);                                                                       \
        }                                                                                                    \
    }

#if defined(__clang__)
#define EACH_HALF(i) _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 2 * LANES; i++)
#else
#define EACH_HALF(i) _Pragma("GCC ivdep") for (int i = 0; i < 2 * LANES; i++)
#endif

static inline uint32_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every f32 result that is not a number is this one, whatever the operands' payloads were. */
static inline float f32_canonical(float x)
{
    return x == x ? x : f32_from_bits(0x7fffffff);
}

/* Subnormals become zero of the same sign. */
static inline float f32_flush(float x)
{
    const uint32_t bits = f32_bits(x);
    return f32_from_bits((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

/* Clamps to [0, 1]; what is not a number becomes +0, and so does -0. */
static inline float f32_saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static inline double f64_saturate(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

#endif
