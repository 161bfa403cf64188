/* float.c - IEEE arithmetic on f32 and f64, in every rounding mode, with flushing and saturation.
 * Results are the hardware's bits: also the payload of a NaN, the sign of a zero, and what is flushed.
 * Approximate functions live in math.c; f16 and bf16 in half.c. */
#include "exec/lanes.h"
#include "exec/round.h"

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

/* Which NaN an f64 operation returns. */
static inline double nan2(double result, double x, double y)
{
    const double invalid = f64_from_bits(0xfff8000000000000);
    return result == result ? result : x != x ? quiet(x) : y != y ? quiet(y) : invalid;
}

static inline double nan3(double result, double x, double y, double z)
{
    return result == result ? result : z != z ? quiet(z) : nan2(result, x, y);
}

#define nan_div(result, x, y) nan2(result, x, y)
#define nan_rcp(result, x)    nan2(result, x, x)
#define nan_sqrt(result, x)   nan2(result, x, x)

static inline float absolute(float x)
{
    return f32_canonical(f32_from_bits(f32_bits(x) & 0x7fffffff));
}

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

static inline double smaller64(double x, double y)
{
    const uint64_t p = f64_bits(x), q = f64_bits(y);
    const uint64_t one = x == x ? p : y == y ? q : f64_bits(quiet(x));
    return f64_from_bits(x < y ? p : y < x ? q : x == y ? p | q : one);
}

static inline double larger64(double x, double y)
{
    const uint64_t p = f64_bits(x), q = f64_bits(y);
    const uint64_t one = x == x ? p : y == y ? q : f64_bits(quiet(x));
    return f64_from_bits(x > y ? p : y > x ? q : x == y ? p & q : one);
}

#include "exec/rows_define.h"

#include "exec/float.def"

#include "exec/rows_list.h"

const struct form forms_float[] = {
#include "exec/float.def"
};
const size_t forms_float_count = sizeof forms_float / sizeof forms_float[0];
