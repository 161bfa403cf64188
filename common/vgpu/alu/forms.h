/* forms.h - the arithmetic instruction set: one row per instruction variant, exactly as PTX spells it.
 * A row's function computes all 32 lanes, inactive ones too, from vectors to a vector: it knows no warp, no mask, no
 * memory. The machine accepts an arithmetic instruction if, and only if, it has a row here.
 * d may be the same vector as a, b or c: functions read lane i of their operands before they write lane i of d. */
#ifndef VGPU_FORMS_H
#define VGPU_FORMS_H

#include <stddef.h>
#include <stdint.h>

enum { LANES = 32 };

/* Tells the vectoriser that lanes are independent although d may be one of the operands. */
#if defined(__clang__)
#define EACH_LANE(i) _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#else
#define EACH_LANE(i) _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

/* The classes by which instructions are counted and, later, timed. */
enum insn_class {
    CLASS_INT,   /* 32-bit add, logic, shift, compare, select, move */
    CLASS_IMUL,  /* integer multiply and multiply-add */
    CLASS_INT64, /* 64-bit integer arithmetic */
    CLASS_IDIV,  /* div and rem on integers */
    CLASS_FP32,
    CLASS_FP64,
    CLASS_FP16,
    CLASS_SFU, /* approximate functions, division and square root */
    CLASS_CVT,
    CLASS_CONTROL, /* branches, calls, exit */
    CLASS_SYNC,    /* barriers, fences, warp synchronisation */
    CLASS_WARP,    /* shuffles, votes, matches, warp reductions */
    CLASS_GLOBAL,
    CLASS_SHARED,
    CLASS_LOCAL,
    CLASS_CONST,
    CLASS_PARAM,
    CLASS_TEXTURE,
    CLASS_ATOMIC,
    CLASS_OTHER,
    CLASS_COUNT
};

/* The vectors: 32 lanes of 2, 4 or 8 bytes. A predicate is a mask, bit i for lane i, passed as a pointer to it. */
typedef void form_fn(void *d, const void *a, const void *b, const void *c);
/* As above, with the warp's carry flags (bit i for lane i), read and written by add.cc, addc and their kin. */
typedef void form_carry_fn(void *d, const void *a, const void *b, const void *c, uint32_t *carry);
/* A row with four source letters (lop3, bfi): cast fn to this. lop3's table arrives as a vector like any other source. */
typedef void form4_fn(void *d, const void *a, const void *b, const void *c, const void *e);

/* signature: the destination, '=', then the sources, a letter each:
 *   h 16 bits   w 32 bits   d 64 bits   p predicate (a uint32_t mask)
 *   f 32 bits, e 64 bits: the same sizes, but a literal operand is a floating-point number
 * "f=fff" is fma.rn.f32; "p=ww" a comparison; "w=wwp" selp; "d=ww" mul.wide.
 * A second destination predicate is not part of a row: decode.c handles p|q. For f16x2 and bf16x2 comparisons, p is the
 * low halves' row, q the high halves' row, whose name ends in ".hi" ("setp.lt.f16x2.hi").
 * Types of 8 bits use letter h: their value is the low byte of a 16-bit register; a row sign- or zero-extends an 8-bit
 * result to 16 bits. Where PTX allows a register wider than the type, decode.c narrows sources by truncation and widens
 * results by the destination type's sign.
 * Operand vectors may be the same as d only if they have d's size; a vector of another size must not overlap it. */
struct form {
    const char *name;      /* "add.rn.ftz.f32", modifiers in PTX's order */
    const char *signature; /* "f=ff" */
    enum insn_class class;
    uint8_t uses_carry; /* fn is a form_carry_fn */
    form_fn *fn;
    const char *meaning; /* "d = a + b, rounded to nearest even, subnormals flushed" */
};

/* Each family of arithmetic lives in one exec/ file and exports its rows. */
extern const struct form forms_int[], forms_logic[], forms_float[], forms_half[], forms_cvt[],
    forms_compare[], forms_math[], forms_video[];
extern const size_t forms_int_count, forms_logic_count, forms_float_count, forms_half_count, forms_cvt_count,
    forms_compare_count, forms_math_count, forms_video_count;

/* The row of that name, or NULL. Names are matched exactly; the caller canonicalises first (forms_canonical). */
const struct form *form_find(const char *name);

/* What others want to know of an operation besides its result. */
enum form_trait {
    FORM_ZERO_SETTLES =
        1, /* if one of the first two sources is 0, the other does not matter (mad: for the product) */
    FORM_READS_CARRY = 2,
    FORM_WRITES_CARRY = 4,
    FORM_AND = 8, /* of predicates */
    FORM_OR = 16
};
uint8_t form_traits(const struct form *form); /* a set of them */
/* Floating-point operations of one lane, as the literature counts them: an add or a multiply is one, a fused
 * multiply-add two; comparisons, moves, conversions of a kind and integers are none. */
uint8_t form_flops(const struct form *form);

/* Rows in table order, for tests that must visit every one. NULL at the end. */
const struct form *form_at(size_t index);

/* Rewrites a spelled opcode into the one that has a row: spelling variants that mean the same thing (default .rn left
 * out, s/u/b types of one size where the operation cannot tell) map to one name. Returns name itself if there is
 * nothing to rewrite; otherwise writes to buffer. */
const char *form_canonical(const char *name, char *buffer, size_t size);

#endif
