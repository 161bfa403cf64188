/* decode_internal.h - shared by the decoder's own files: decode.c, operands.c, flow.c, registers.c. */
#ifndef VGPU_DECODE_INTERNAL_H
#define VGPU_DECODE_INTERNAL_H

#include "base/arena.h"
#include "decode/decode.h"

/* While a function is decoded, register operands are virtual: the register's number times 1, temporaries after the
 * declared ones. registers.c turns them into slots when all instructions are there. */
struct decoder {
    const struct instruction_set *set;
    struct function *function;
    struct module *module;
    struct insn *code;
    uint32_t ncode, capacity;
    uint32_t *starts; /* code index at which PTX instruction i begins; one more for the end */
    uint8_t *sizes;   /* bytes of virtual register i; 0: predicate or wide */
    uint32_t nvirtual;
    size_t virtual_capacity;
    uint16_t *pred_numbers; /* PTX register → predicate number; PRED_NONE if it is none */
    uint32_t npreds;
    uint8_t *constants; /* vectors of 32 lanes */
    uint32_t constant_bytes;
    size_t constant_capacity;
    struct constant {
        uint64_t bits;
        uint32_t size, offset;
    } * constant_index;
    uint32_t nconstants, constant_index_capacity;
    const struct ptx_insn *current;
    struct insn *pending; /* instructions that must follow the current one: narrowed destinations */
    uint32_t npending;
    bool failed;
    struct refusal *why;
};

/* decode.c: an instruction whose opcode is a form. */
bool decode_form(struct decoder *decoder, const char *name, const struct ptx_insn *in, struct insn *out);

bool opcode_split(struct opcode *opcode, const char *name);

/* operands.c */
struct insn *decode_emit(struct decoder *decoder); /* a cleared instruction at the end; NULL: out of memory */
uint32_t decode_temp(struct decoder *decoder, uint32_t size);
uint32_t decode_constant(struct decoder *decoder, uint64_t bits, uint32_t size);
bool decode_flush_pending(struct decoder *decoder);

/* special.c: special registers and addresses that depend on the launch */
bool decode_special(struct decoder *decoder, const char *name, uint32_t dest_virtual, uint32_t size);
/* It reads a special register that a thread always finds the same in: none that shows a clock. */
bool decode_is_constant(const struct insn *insn);
/* What it would find, of all lanes, to a slot. */
void decode_special_value(struct warp *warp, const struct insn *insn, void *to);
/* mov of a special register straight into dest; false: decode it the general way. */
bool decode_special_move(struct decoder *decoder, const struct ptx_operand *dest, const char *name,
                         struct insn *out);
bool decode_local_address(struct decoder *decoder, uint32_t offset, uint32_t dest_virtual, uint32_t size);
bool decode_dynamic_shared(struct decoder *decoder, int64_t offset, uint32_t dest_virtual, uint32_t size);

/* flow.c: resolves branch targets; finds reconvergence points and inserts the joins. */
struct flow_graph;
void flow_resolve_targets(struct decoder *decoder);
bool flow_insert_joins(struct decoder *decoder, const struct flow_graph *graph);
/* registers.c: virtual registers → slots, as few as their lifetimes allow. */
bool registers_assign(struct decoder *decoder, const struct flow_graph *graph);

/* control.c */
struct call_copy {
    uint32_t from, to, size;
};
struct call_info {
    struct function *callee;       /* NULL: indirect */
    const struct builtin *builtin; /* of the device runtime */
    struct call_copy *args, *returns;
    uint32_t nargs, nreturns;
    uint32_t builtin_bytes, builtin_result_bytes;
};

/* What is called stands in a register: lanes may call different functions. */
static inline bool insn_calls_pointer(const struct insn *insn)
{
    return insn->flow == FLOW_CALL && !insn->call->callee && !insn->call->builtin;
}
struct branch_table {
    uint32_t *targets;
    uint32_t count;
};

#endif
