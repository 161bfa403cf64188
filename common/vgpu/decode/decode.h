/* decode.h - what an instruction family needs to turn a PTX instruction into an executable one.
 * A family (loads, atomics, barriers, textures ...) is a row in exec/instructions.def: the first word of the opcode and the
 * function that decodes it. Everything without a family is looked up in the forms (alu/forms.h). */
#ifndef VGPU_DECODE_H
#define VGPU_DECODE_H

#include "core/machine.h"

struct decoder; /* one function being decoded */

/* The dotted parts of an opcode: parts[0] is "ld", parts[1] "global", ... */
enum { MAX_PARTS = 20 };
struct opcode {
    char text[160];
    const char *parts[MAX_PARTS];
    int count;
};

typedef bool decode_fn(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                       struct insn *out);

/* True if the opcode has that part ("volatile"). */
bool opcode_has(const struct opcode *opcode, const char *part);
/* The last part that is a type ("f32" of ld.global.f32), and the one before it (cvt, set): PTX_NONE if there is none. */
enum ptx_type opcode_type(const struct opcode *opcode);
/* Parts that are state spaces: PTX_GENERIC if there is none. ".shared::cta" counts as shared, ".param::entry" as param. */
enum ptx_space opcode_space(const struct opcode *opcode);
/* 1, 2, 4 or 8 for none, v2, v4, v8. */
uint32_t opcode_vector(const struct opcode *opcode);

/* Records the first error with its place and returns false. The sentence names what is wrong. */
bool decode_error(struct decoder *decoder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a destination (before any source) or a source to out->o. letter as in struct form's signature; '*' takes the
 * register's own size. Destinations may be registers or the sink '_' (SLOT_NONE). Sources may be registers, special
 * registers, literals, or addresses of variables. Sizes of registers that differ from the letter are adapted by
 * inserted moves for letters other than '*'. Returns false on error. */
bool decode_dest(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand, char letter);
bool decode_source(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand, char letter);

/* A predicate operand's number in frame->preds. A literal or the sink: PRED_NONE for a destination. Negated sources
 * (!p) are materialised into a fresh predicate. */
bool decode_pred_dest(struct decoder *decoder, const struct ptx_operand *operand, uint16_t *number);
bool decode_pred_source(struct decoder *decoder, const struct ptx_operand *operand, uint16_t *number);

/* [base + offset]: adds the base register as a source (or SLOT_NONE for a constant address), sets out->imm to the
 * constant part and out->is_wide. space decides what a variable's address is. */
bool decode_address(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand,
                    enum ptx_space space);

/* The bytes of a register operand: 2, 4, 8 (0: not a register, or a predicate). */
uint32_t decode_register_size(struct decoder *decoder, const struct ptx_operand *operand);

/* Memory that lives as long as the module. */
void *decode_alloc(struct decoder *decoder, size_t size);
struct function *decoder_function(struct decoder *decoder);

/* ------------------------------------------------------------------------------------------- the whole */

/* The families by the first word of their opcodes: exec/instructions.c has the one that there is. */
struct instruction_set {
    const struct family {
        const char *opcode;
        decode_fn *decode;
    } * families;
    size_t count;
};

/* Why a function cannot be executed, and where: loc is that of the instruction; 0: none. */
struct refusal {
    char text[600];
    uint32_t loc;
};

/* Decodes a function and all it can call. False: why says why not. */
bool function_decode(struct function *function, const struct instruction_set *set, struct refusal *why);

#endif
