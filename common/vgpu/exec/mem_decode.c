/* mem_decode.c - ld, st and their kin, from PTX to decoded instructions: sizes, caches, order, and the step to take.
 * Atomics are in atomic.c, asynchronous copies in cpasync.c. */
#include <string.h>

#include "decode/provenance.h"
#include "exec/instructions.h"
#include "exec/mem.h"

/* The letter of a register of that size. */
static char size_letter(uint32_t size)
{
    return size == 2 ? 'h' : size == 4 ? 'w' : size == 8 ? 'd' : size == 16 ? 'q' : 0;
}

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64;
}

static bool is_signed_type(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

/* The elements of a vector operand, or the operand itself. */
static const struct ptx_operand *elements_of(const struct ptx_operand *operand, uint32_t *count)
{
    const bool is_list = operand->kind == PTX_OP_LIST;
    *count = is_list ? operand->count : 1;
    return is_list ? operand->list : operand;
}

/* The size of the registers that hold elements: all of one size; literals and sinks follow the type. */
static uint32_t register_size(struct decoder *decoder, const struct ptx_operand *elements, uint32_t count,
                              uint32_t width)
{
    for (uint32_t i = 0; i < count; i++)
        if (decode_register_size(decoder, &elements[i]))
            return decode_register_size(decoder, &elements[i]);
    return width < 2 ? 2 : width;
}

/* Sizes, mover, order and the array an access of shared memory means. */
static bool decode_common(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                          struct insn *out, const struct ptx_operand *elements, uint32_t count)
{
    const enum ptx_type type = opcode_type(opcode);
    const uint32_t width = ptx_type_size(type);
    out->kind = INSN_STEP;
    if (!width)
        return decode_error(decoder, "the type of `%s` cannot be loaded or stored", in->name);
    if (count != opcode_vector(opcode) || width * count > 32)
        return decode_error(decoder, "`%s` does not fit its %u elements", in->name, count);
    out->space = (uint8_t)opcode_space(opcode);
    out->width = (uint8_t)width;
    out->count = (uint8_t)count;
    out->is_signed = is_signed_type(type);
    out->dsize = (uint8_t)register_size(decoder, elements, count, width);
    out->mover = mover_find(width, out->dsize, out->is_signed);
    if (!out->mover)
        return decode_error(decoder, "`%s` does not fit a register of %u bits", in->name, out->dsize * 8u);
    out->is_volatile = opcode_has(opcode, "volatile") || opcode_has(opcode, "relaxed") ||
                       opcode_has(opcode, "acquire") || opcode_has(opcode, "release") ||
                       opcode_has(opcode, "mmio");
    out->cache = out->is_volatile || opcode_has(opcode, "cg") || opcode_has(opcode, "cv") ? LOAD_PAST_L1
                 : opcode_has(opcode, "nc")                                               ? LOAD_READ_ONLY
                                                                                          : LOAD_PLAIN;
    if (!provenance_bounds(decoder_function(decoder), in, &out->bounds.first, &out->bounds.end)) {
        out->bounds.first = 0;
        out->bounds.end = UINT32_MAX;
    }
    return true;
}

static const uint8_t space_classes[PTX_SPACES] = {
    [PTX_GENERIC] = CLASS_GLOBAL, [PTX_GLOBAL] = CLASS_GLOBAL, [PTX_CONST] = CLASS_CONST,
    [PTX_SHARED] = CLASS_SHARED,  [PTX_LOCAL] = CLASS_LOCAL,   [PTX_PARAM] = CLASS_PARAM,
};
static step_fn *const plain_steps[PTX_SPACES] = {step_generic, step_global, step_global,
                                                 step_shared,  step_local,  step_param};
static step_fn *const ordered_steps[PTX_SPACES] = {step_generic_ordered, step_global_ordered, step_global,
                                                   step_shared_ordered,  step_local,          step_param};

static void choose_step(struct decoder *decoder, struct insn *out)
{
    const struct function *function = decoder_function(decoder);
    const bool is_constant = out->o[out->ndefs] == SLOT_NONE;
    out->class = space_classes[out->space];
    out->step = out->is_volatile ? ordered_steps[out->space] : plain_steps[out->space];
    if (out->space == PTX_PARAM && !out->is_store && !out->is_argument && is_constant &&
        function->ptx->is_entry && out->imm >= 0 &&
        (uint64_t)out->imm + access_bytes(out) <= function->param_bytes)
        out->step = step_kernel_param;
    const bool is_word =
        out->width == 4 && out->count == 1 && out->dsize == 4 && !out->is_volatile && !is_constant;
    if (is_word && out->space == PTX_SHARED && !out->is_wide)
        out->step = step_shared_word;
    if (is_word && out->space == PTX_GLOBAL && out->is_wide)
        out->step = step_global_word;
}

bool decode_ld(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
               struct insn *out)
{
    uint32_t count;
    if (in->noperands < 2 || in->operands[1].kind != PTX_OP_ADDRESS)
        return decode_error(decoder, "`%s` needs a destination and an address", in->name);
    const struct ptx_operand *elements = elements_of(&in->operands[0], &count);
    if (!decode_common(decoder, opcode, in, out, elements, count))
        return false;
    const uint8_t dsize = out->dsize;
    for (uint32_t i = 0; i < count; i++)
        if (!decode_dest(decoder, out, &elements[i], size_letter(dsize)))
            return false;
    out->dsize = dsize;
    if (!decode_address(decoder, out, &in->operands[1], (enum ptx_space)out->space))
        return false;
    choose_step(decoder, out);
    return true;
}

bool decode_st(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
               struct insn *out)
{
    uint32_t count;
    if (in->noperands < 2 || in->operands[0].kind != PTX_OP_ADDRESS)
        return decode_error(decoder, "`%s` needs an address and a value", in->name);
    const struct ptx_operand *elements = elements_of(&in->operands[1], &count);
    if (!decode_common(decoder, opcode, in, out, elements, count))
        return false;
    const enum ptx_type type = opcode_type(opcode);
    const uint8_t dsize = out->dsize;
    char letter = size_letter(dsize);
    if (is_float(type) && dsize == out->width)
        letter = type == PTX_F32 ? 'f' : 'e'; /* a literal is a floating-point number */
    out->is_store = true;
    if (!decode_address(decoder, out, &in->operands[0], (enum ptx_space)out->space))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!decode_source(decoder, out, &elements[i], letter))
            return false;
    out->dsize = dsize;
    choose_step(decoder, out);
    return true;
}

/* ------------------------------------------------------------------------------------------- prefetch, windows */

static enum step step_nothing(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    (void)warp, (void)insn, (void)mask;
    return STEP_NEXT;
}

/* A hint: it changes no result, and the traffic it moves in time is charged to the load that follows. */
bool decode_prefetch(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                     struct insn *out)
{
    (void)decoder, (void)opcode, (void)in;
    out->kind = INSN_STEP;
    out->class = CLASS_OTHER;
    out->step = step_nothing;
    return true;
}

static uint64_t window_of(const struct memory *memory, uint32_t space)
{
    const struct memory_layout *layout = memory_layout(memory);
    return space == PTX_SHARED  ? layout->shared_window
           : space == PTX_LOCAL ? layout->local_window
           : space == PTX_PARAM ? layout->param_window
                                : 0;
}

static bool is_in_space(const struct memory *memory, uint32_t space, uint64_t address)
{
    const struct memory_layout *layout = memory_layout(memory);
    if (space != PTX_GLOBAL && space != PTX_CONST)
        return address - window_of(memory, space) < WINDOW_BYTES;
    if (address - layout->shared_window < 3ull * WINDOW_BYTES)
        return false;
    const struct allocation *a = memory_find(memory, address);
    return (a && a->kind == ALLOC_CONST) == (space == PTX_CONST);
}

static enum step step_isspacep(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const struct memory *memory = warp->block->launch->memory;
    const uint8_t *address = slot(warp, insn->o[0]);
    uint32_t result = 0;
    EACH_ACTIVE(lane, mask)
    {
        uint64_t value = 0;
        memcpy(&value, address + (size_t)lane * insn->dsize, insn->dsize);
        result |= is_in_space(memory, insn->space, value) ? 1u << lane : 0;
    }
    uint32_t *pred = &warp->preds[insn->preds[0]];
    *pred = (*pred & ~mask) | result;
    return STEP_NEXT;
}

bool decode_isspacep(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                     struct insn *out)
{
    out->kind = INSN_STEP;
    out->class = CLASS_INT;
    out->step = step_isspacep;
    out->space = (uint8_t)opcode_space(opcode);
    if (in->noperands != 2 || out->space == PTX_GENERIC)
        return decode_error(decoder, "`%s` needs a space, a predicate and an address", in->name);
    const uint32_t size = decode_register_size(decoder, &in->operands[1]);
    if (!decode_pred_dest(decoder, &in->operands[0], &out->preds[0]) ||
        !decode_source(decoder, out, &in->operands[1], size == 4 ? 'w' : 'd'))
        return false;
    out->dsize = size == 4 ? 4 : 8;
    if (out->preds[0] == PRED_NONE)
        out->step = step_nothing;
    return true;
}

/* imm is 1 from a space to generic, -1 the other way, 0 where both addresses are the same. */
static enum step step_cvta(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint64_t window = window_of(warp->block->launch->memory, insn->space) * (uint64_t)insn->imm;
    uint64_t *d = slot(warp, insn->o[0]);
    const uint64_t *a = slot(warp, insn->o[1]);
    if (mask == FULL_MASK)
        EACH_LANE(i) d[i] = a[i] + window;
    else
        EACH_LANE(i) d[i] = mask >> i & 1 ? a[i] + window : d[i];
    return STEP_NEXT;
}

bool decode_cvta(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    out->kind = INSN_STEP;
    out->class = CLASS_INT;
    out->step = step_cvta;
    out->space = (uint8_t)opcode_space(opcode);
    if (in->noperands != 2 || ptx_type_size(opcode_type(opcode)) != 8)
        return decode_error(decoder, "`%s` must convert one 64-bit address", in->name);
    if (out->space == PTX_GENERIC)
        return decode_error(decoder, "`%s` names no space", in->name);
    const bool is_same = out->space == PTX_GLOBAL || out->space == PTX_CONST;
    if (!decode_dest(decoder, out, &in->operands[0], 'd') ||
        !decode_source(decoder, out, &in->operands[1], 'd'))
        return false;
    out->imm = is_same ? 0 : opcode_has(opcode, "to") ? -1 : 1;
    return true;
}
