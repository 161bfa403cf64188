/* moves.c - mov in all its shapes (values, addresses, packing and unpacking of vectors) and comparisons.
 * A plain mov is a form; packing touches several registers and is a step. */
#include <stdio.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "exec/instructions.h"

/* Registers of one byte live in two. */
static uint32_t room_of(uint32_t bytes)
{
    return bytes < 2 ? 2 : bytes;
}

/* d is made of count parts, lowest first; o[0] = d, o[1..] = parts of insn->width bytes. */
static enum step step_pack(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint8_t *whole = slot(warp, insn->o[0]);
    const uint32_t room = room_of(insn->width);
    for (uint32_t k = 0; k < insn->count; k++) {
        const uint8_t *part = slot(warp, insn->o[1 + k]);
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(lanes);
            memcpy(whole + i * insn->dsize + k * insn->width, part + i * room, insn->width);
        }
    }
    return STEP_NEXT;
}

/* Two halves of 4 bytes in every lane: what shuffles and atomics of doubles are made of. */
static enum step step_pack_words(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (mask != FULL_MASK)
        return step_pack(warp, insn, mask);
    uint64_t *whole = slot(warp, insn->o[0]);
    const uint32_t *low = slot(warp, insn->o[1]), *high = slot(warp, insn->o[2]);
    EACH_LANE(i) whole[i] = (uint64_t)high[i] << 32 | low[i];
    return STEP_NEXT;
}

/* o[0..count) = parts in registers of insn->dsize bytes, o[count] = the whole of insn->width bytes. */
static enum step step_unpack(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    const uint8_t *whole = slot(warp, insn->o[insn->count]);
    const uint32_t bytes = (uint32_t)insn->width / insn->count;
    for (uint32_t k = 0; k < insn->count; k++) {
        uint8_t *part = slot(warp, insn->o[k]);
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(lanes);
            memset(part + i * insn->dsize, 0, insn->dsize);
            memcpy(part + i * insn->dsize, whole + i * insn->width + k * bytes, bytes);
        }
    }
    return STEP_NEXT;
}

static enum step step_unpack_words(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    if (mask != FULL_MASK)
        return step_unpack(warp, insn, mask);
    const uint64_t *whole = slot(warp, insn->o[2]);
    uint32_t *low = slot(warp, insn->o[0]), *high = slot(warp, insn->o[1]);
    EACH_LANE(i) low[i] = (uint32_t)whole[i];
    EACH_LANE(i) high[i] = (uint32_t)(whole[i] >> 32);
    return STEP_NEXT;
}

static char part_letter(uint32_t bytes)
{
    return bytes <= 2 ? 'h' : bytes == 4 ? 'w' : bytes == 8 ? 'd' : 'q';
}

/* Two or four parts of whole bytes. */
static bool can_part(uint32_t bytes, uint32_t count)
{
    return (count == 2 || count == 4) && bytes <= 16 && bytes / count >= 1;
}

static bool decode_pack(struct decoder *decoder, const struct ptx_insn *in, struct insn *out, uint32_t bytes)
{
    const struct ptx_operand *list = &in->operands[1];
    if (!can_part(bytes, list->count))
        return decode_error(decoder, "cannot pack %u parts into %u bits", list->count, bytes * 8);
    out->count = (uint8_t)list->count;
    out->width = (uint8_t)(bytes / list->count);
    out->step = bytes == 8 && list->count == 2 ? step_pack_words : step_pack;
    if (!decode_dest(decoder, out, &in->operands[0], part_letter(bytes)))
        return false;
    for (uint32_t k = 0; k < list->count; k++)
        if (!decode_source(decoder, out, &list->list[k], part_letter(out->width)))
            return false;
    return true;
}

static bool decode_unpack(struct decoder *decoder, const struct ptx_insn *in, struct insn *out,
                          uint32_t bytes)
{
    const struct ptx_operand *list = &in->operands[0];
    if (!can_part(bytes, list->count))
        return decode_error(decoder, "cannot take %u parts out of %u bits", list->count, bytes * 8);
    out->count = (uint8_t)list->count;
    out->width = (uint8_t)bytes;
    uint32_t part = bytes / list->count;
    out->step = bytes == 8 && list->count == 2 ? step_unpack_words : step_unpack;
    for (uint32_t k = 0; k < list->count; k++)
        if (!decode_dest(decoder, out, &list->list[k], part_letter(part)))
            return false;
    out->dsize = (uint8_t)room_of(part);
    return decode_source(decoder, out, &in->operands[1], part_letter(bytes));
}

static enum step step_copy(struct warp *warp, const struct insn *insn, uint32_t mask)
{
    uint8_t *to = slot(warp, insn->o[0]);
    const uint8_t *from = slot(warp, insn->o[1]);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(lanes);
        memcpy(to + i * insn->dsize, from + i * insn->dsize, insn->dsize);
    }
    return STEP_NEXT;
}

bool decode_mov(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                struct insn *out)
{
    if (in->noperands != 2)
        return decode_error(decoder, "takes two operands");
    uint32_t bytes = ptx_type_size(opcode_type(opcode));
    bool packs = in->operands[1].kind == PTX_OP_LIST, unpacks = in->operands[0].kind == PTX_OP_LIST;
    out->kind = INSN_STEP;
    out->class = CLASS_INT;
    if (packs)
        return decode_pack(decoder, in, out, bytes);
    if (unpacks)
        return decode_unpack(decoder, in, out, bytes);
    if (in->operands[1].kind == PTX_OP_SREG &&
        decode_special_move(decoder, &in->operands[0], in->operands[1].name, out))
        return true;
    if (bytes == 16) {
        out->step = step_copy;
        return decode_dest(decoder, out, &in->operands[0], 'q') &&
               decode_source(decoder, out, &in->operands[1], 'q');
    }
    return decode_form(decoder, in->name, in, out);
}

/* setp.CMP[.BOOL][.ftz].TYPE p[|q], a, b[, [!]c]: the comparison is a form, the rest is done by warp.c:
 * p = cmp BOOL c, q = !cmp BOOL c. */
static const char *const bool_names[] = {"", "and", "or", "xor"};

static bool decode_comparison(struct decoder *decoder, const char *name, uint8_t combine,
                              const struct ptx_insn *in, struct insn *out)
{
    if (!decode_form(decoder, name, in, out))
        return false;
    out->op = combine;
    uint32_t last = 1 + (uint32_t)strlen(out->form->signature + 2);
    if (combine && last >= in->noperands)
        return decode_error(decoder, "lacks the predicate to combine with");
    return !combine || decode_pred_source(decoder, &in->operands[last], &out->preds[2]);
}

/* Comparisons of packed halves: p is the low halves' result and q the high halves': two instructions. */
static bool decode_packed(struct decoder *decoder, const char *name, uint8_t combine,
                          const struct ptx_insn *in, struct insn *out)
{
    char high_name[170];
    struct ptx_operand operands[8];
    struct ptx_insn part = *in;
    struct insn high = *out;
    snprintf(high_name, sizeof high_name, "%s.hi", name);
    memcpy(operands, in->operands, (in->noperands < 8 ? in->noperands : 8) * sizeof *operands);
    part.operands = operands;
    operands[0] = in->operands[0].list[1];
    if (!decode_comparison(decoder, high_name, combine, &part, &high))
        return false;
    if (in->guard >= 0) {
        high.guard = (uint16_t)(decoder->pred_numbers[in->guard] + 1);
        high.guard_not = in->guard_negated;
    }
    struct insn *before = decode_emit(decoder);
    if (!before)
        return false;
    *before = high;
    operands[0] = in->operands[0].list[0];
    return decode_comparison(decoder, name, combine, &part, out);
}

bool decode_setp(struct decoder *decoder, const struct opcode *opcode, const struct ptx_insn *in,
                 struct insn *out)
{
    char name[160] = "setp";
    uint8_t combine = 0;
    for (int i = 1; i < opcode->count; i++) {
        bool is_bool = false;
        for (uint8_t b = 1; b < 4; b++)
            if (i > 1 && strcmp(opcode->parts[i], bool_names[b]) == 0) {
                combine = b;
                is_bool = true;
            }
        if (!is_bool) {
            size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, ".%s", opcode->parts[i]);
        }
    }
    enum ptx_type type = opcode_type(opcode);
    bool is_packed =
        (type == PTX_F16X2 || type == PTX_BF16X2) && in->noperands && in->operands[0].kind == PTX_OP_PAIR;
    return is_packed ? decode_packed(decoder, name, combine, in, out)
                     : decode_comparison(decoder, name, combine, in, out);
}
