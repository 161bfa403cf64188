/* float.c - IEEE arithmetic on f32 and f64, in every rounding mode, with flushing and saturation.
 * Results are the hardware's bits: also the payload of a NaN, the sign of a zero, and what is flushed.
 * Approximate functions live in math.c; f16 and bf16 in half.c. */
#include "alu/lanes.h"
#include "alu/round.h"

#define SIGN64 ((uint64_t)1 << 63)

/* What a row's flags do to operands and results. */
#define same(x)            (x)
#define canonical(x)       f32_canonical(x)
#define canonical_flush(x) f32_flush(f32_canonical(x))
#define saturate(x)        f32_saturate(x)
#define saturate_flush(x)  f32_flush(f32_saturate(x))

static inline double quiet(double x)
{
    return f64_from_bits(f64_bits(x) | (uint64_t)1 << 51);
}

/* Which NaN an f64 operation returns: the second operand's before the first's, made quiet (of three, the
 * second, the third, the first); a negative one where the operands were numbers. */
static inline double nan2(double result, double x, double y)
{
    const double one = y != y ? quiet(y) : quiet(x);
    const double none = x == x && y == y ? f64_from_bits(0xfff8000000000000) : one;
    return result == result ? result : none;
}

static inline double nan3(double result, double x, double y, double z)
{
    const double first = y != y ? quiet(y) : z != z ? quiet(z) : quiet(x);
    const double none = x == x && y == y && z == z ? f64_from_bits(0xfff8000000000000) : first;
    return result == result ? result : none;
}

/* Division takes the first operand's NaN first. */
#define nan_div(result, x, y) nan2(result, y, x)
#define nan_rcp(result, x)    nan2(result, x, x)
#define nan_sqrt(result, x)   nan2(result, x, x)

static inline float absolute(float x)
{
    return f32_canonical(f32_from_bits(f32_bits(x) & 0x7fffffff));
}

/* Flushing looks at the result as rounded with an exponent of any size, so what would become the smallest
 * normal number only by rounding to a subnormal's precision is flushed. `scaled` is the result of the same
 * operation, 2^64 larger. */
static inline float flush_tiny(float result, float scaled)
{
    const uint32_t sign = f32_bits(result) & 0x80000000;
    return __builtin_fabsf(scaled) < 0x1p-62f ? f32_from_bits(sign) : result;
}

#define product(x, y)          ((x) * (y))
#define product_sat(x, y)      product(x, y)
#define product_ftz(x, y)      flush_tiny((x) * (y), (x)*0x1p64f * (y))
#define product_ftz_sat(x, y)  product_ftz(x, y)
#define fused(x, y, z)         __builtin_fmaf(x, y, z)
#define fused_sat(x, y, z)     fused(x, y, z)
#define fused_ftz(x, y, z)     flush_tiny(fused(x, y, z), fused((x)*0x1p64f, y, (z)*0x1p64f))
#define fused_ftz_sat(x, y, z) fused_ftz(x, y, z)

static inline float magnitude(float x)
{
    return f32_from_bits(f32_bits(x) & 0x7fffffff);
}

static inline float negate(float x)
{
    return f32_canonical(f32_from_bits(f32_bits(x) ^ 0x80000000));
}

/* Equal operands have equal bits, unless they are zeros: or keeps the sign, and drops it. */
static inline float smaller(float x, float y)
{
    const uint32_t p = f32_bits(x), q = f32_bits(y);
    const uint32_t one = x == x ? p : y == y ? q : 0x7fffffff;
    return f32_from_bits(x < y ? p : y < x ? q : x == y ? p | q : one);
}

static inline float larger(float x, float y)
{
    const uint32_t p = f32_bits(x), q = f32_bits(y);
    const uint32_t one = x == x ? p : y == y ? q : 0x7fffffff;
    return f32_from_bits(x > y ? p : y > x ? q : x == y ? p & q : one);
}

static inline float or_nan(float result, float x, float y)
{
    return x == x && y == y ? result : f32_from_bits(0x7fffffff);
}

static inline float xor_sign(float result, float x, float y)
{
    const uint32_t sign = (f32_bits(x) ^ f32_bits(y)) & 0x80000000;
    return result == result ? f32_from_bits(f32_bits(result) | sign) : result;
}

/* The sign of a NaN stays. */
static inline double absolute64(double x)
{
    return x == x ? f64_from_bits(f64_bits(x) & INT64_MAX) : quiet(x);
}

static inline double negate64(double x)
{
    return x == x ? f64_from_bits(f64_bits(x) ^ SIGN64) : quiet(x);
}

static inline double smaller64(double x, double y)
{
    const uint64_t p = f64_bits(x), q = f64_bits(y);
    const uint64_t one = x == x ? p : y == y ? q : f64_bits(quiet(y));
    return f64_from_bits(x < y ? p : y < x ? q : x == y ? p | q : one);
}

static inline double larger64(double x, double y)
{
    const uint64_t p = f64_bits(x), q = f64_bits(y);
    const uint64_t one = x == x ? p : y == y ? q : f64_bits(quiet(y));
    return f64_from_bits(x > y ? p : y > x ? q : x == y ? p & q : one);
}

#include "alu/rows_define.h"

#include "alu/float.def"

#include "alu/rows_list.h"

const struct form forms_float[] = {
#include "alu/float.def"
};
const size_t forms_float_count = sizeof forms_float / sizeof forms_float[0];
