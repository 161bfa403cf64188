/* compare.c - comparisons: setp makes predicates, set makes masks or floats.
 * A relation is one function of two numbers; f16 and bf16 are compared as the f32 they widen to.
 * Boolean combinations of a comparison with a predicate are decode/decode.c's. */
#include "alu/half.h"

#define RELATION(cmp, expr)                                                                                  \
    static inline bool relate_f32_##cmp(float p, float q)                                                    \
    {                                                                                                        \
        return expr;                                                                                         \
    }                                                                                                        \
    static inline bool relate_f64_##cmp(double p, double q)                                                  \
    {                                                                                                        \
        return expr;                                                                                         \
    }
#define PICK(cmp, p, q) _Generic((p), float : relate_f32_##cmp, double : relate_f64_##cmp)(p, q)

RELATION(eq, p == q)
RELATION(ne, (p < q) | (p > q))
RELATION(lt, p < q)
RELATION(le, p <= q)
RELATION(gt, p > q)
RELATION(ge, p >= q)
RELATION(equ, !((p < q) | (p > q)))
RELATION(neu, p != q)
RELATION(ltu, !(p >= q))
RELATION(leu, !(p > q))
RELATION(gtu, !(p <= q))
RELATION(geu, !(p < q))
RELATION(num, (p == p) & (q == q))
RELATION(nan, (p != p) | (q != q))
#define is_eq(p, q)  PICK(eq, p, q)
#define is_ne(p, q)  PICK(ne, p, q)
#define is_lt(p, q)  PICK(lt, p, q)
#define is_le(p, q)  PICK(le, p, q)
#define is_gt(p, q)  PICK(gt, p, q)
#define is_ge(p, q)  PICK(ge, p, q)
#define is_equ(p, q) PICK(equ, p, q)
#define is_neu(p, q) PICK(neu, p, q)
#define is_ltu(p, q) PICK(ltu, p, q)
#define is_leu(p, q) PICK(leu, p, q)
#define is_gtu(p, q) PICK(gtu, p, q)
#define is_geu(p, q) PICK(geu, p, q)
#define is_num(p, q) PICK(num, p, q)
#define is_nan(p, q) PICK(nan, p, q)

/* What the operands pass through before they are compared. */
#define same(x)                     (x)
#define half_to_float_low(x)        half_to_float((uint16_t)(x))
#define half_to_float_high(x)       half_to_float((uint16_t)((x) >> 16))
#define half_to_float_flush(x)      half_to_float(half_flush(x))
#define half_to_float_flush_low(x)  half_to_float_flush((uint16_t)(x))
#define half_to_float_flush_high(x) half_to_float_flush((uint16_t)((x) >> 16))
#define bf16_to_float_low(x)        bf16_to_float((uint16_t)(x))
#define bf16_to_float_high(x)       bf16_to_float((uint16_t)((x) >> 16))

#include "alu/rows_define.h"

#include "alu/compare.def"

#include "alu/rows_list.h"

const struct form forms_compare[] = {
#include "alu/compare.def"
};
const size_t forms_compare_count = sizeof forms_compare / sizeof forms_compare[0];
