/* half.c - arithmetic on f16 and bf16, one value or two packed into a word.
 * A packed row is the single row over twice as many lanes; results that are not numbers are 0x7fff.
 * The formats' own conversions are in half.h. */
#include "alu/half.h"

#define H(x)              half_to_float(x)
#define B(x)              bf16_to_float(x)
#define same(x)           (x)
#define saturate_flush(x) half_flush(half_saturate(x))
#define negate(x)         (half_is_nan(x) ? HALF_NAN : (x) ^ 0x8000)
#define absolute(x)       (half_is_nan(x) ? HALF_NAN : (x)&0x7fff)
#define negate_bf16(x)    (bf16_is_nan(x) ? BF16_NAN : (x) ^ 0x8000)
#define absolute_bf16(x)  (bf16_is_nan(x) ? BF16_NAN : (x)&0x7fff)

/* As in float.c: flushing looks at the result as rounded with an exponent of any size; 0x2c00 is 2^-14, 2^10
 * larger. */
static inline uint16_t flush_tiny(uint16_t result, float exact)
{
    return (half_from_float(exact * 0x1p10f) & 0x7fff) < 0x2c00 ? result & 0x8000 : result;
}

#define product(x, y)          half_from_float((x) * (y))
#define product_sat(x, y)      product(x, y)
#define product_ftz(x, y)      flush_tiny(product(x, y), (x) * (y))
#define product_ftz_sat(x, y)  product_ftz(x, y)
#define fused(x, y, z)         half_fma(x, y, z)
#define fused_sat(x, y, z)     fused(x, y, z)
#define fused_ftz(x, y, z)     flush_tiny(fused(x, y, z), half_fma_exact(x, y, z))
#define fused_ftz_sat(x, y, z) fused_ftz(x, y, z)

/* As in float.c: equal operands differ at most in the sign of a zero. */
#define PICK(first, second, both, x, y, is_nan)                                                              \
    ((first)                    ? (x)                                                                        \
     : (second)                 ? (y)                                                                        \
     : !is_nan(x) && !is_nan(y) ? (both)                                                                     \
     : !is_nan(x)               ? (x)                                                                        \
     : !is_nan(y)               ? (y)                                                                        \
                                : HALF_NAN)
#define smaller(x, y, widen, is_nan) PICK(widen(x) < widen(y), widen(y) < widen(x), (x) | (y), x, y, is_nan)
#define larger(x, y, widen, is_nan)  PICK(widen(x) > widen(y), widen(y) > widen(x), (x) & (y), x, y, is_nan)
#define or_nan(result, x, y, is_nan) (is_nan(x) || is_nan(y) ? HALF_NAN : (result))

static inline uint16_t with_sign(uint16_t result, uint16_t sign, bool is_nan)
{
    return is_nan ? result : result | (sign & 0x8000);
}
#define xor_sign(result, x, y, is_nan) with_sign((uint16_t)(result), (x) ^ (y), is_nan((uint16_t)(result)))

#include "alu/rows_define.h"

#include "alu/half.def"

#include "alu/rows_list.h"

const struct form forms_half[] = {
#include "alu/half.def"
};
const size_t forms_half_count = sizeof forms_half / sizeof forms_half[0];
