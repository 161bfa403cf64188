/* operands.c - from PTX operands to virtual registers, literals and addresses.
 * Instructions refer to virtual registers until registers.c gives them slots.
 * Sizes are adapted here: an instruction's own functions see exactly the sizes that its signature names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode_internal.h"
#include "memory/memory.h"

/* ------------------------------------------------------------------------------------------- literals */

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A literal's bits for a source of the given letter: floating-point ones are converted to its precision. */
static uint64_t literal_bits(const struct ptx_operand *operand, char letter)
{
    if (letter == 'f' && operand->kind == PTX_OP_F64) {
        double value;
        memcpy(&value, &operand->bits, sizeof value);
        return float_bits((float)value);
    }
    if (letter == 'e' && operand->kind == PTX_OP_F32) {
        float value;
        uint32_t low = (uint32_t)operand->bits;
        uint64_t bits;
        memcpy(&value, &low, sizeof value);
        double wide = value;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    return operand->bits;
}

static uint32_t letter_size(char letter)
{
    static const struct {
        char letter;
        uint8_t size;
    } sizes[] = {
        {'h', 2}, {'w', 4}, {'f', 4}, {'d', 8}, {'e', 8}, {'q', 16},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].letter == letter)
            return sizes[i].size;
    return 0;
}

/* ------------------------------------------------------------------------------------------- registers */

static const struct form *resize_form(uint32_t to, uint32_t from, bool is_signed)
{
    char name[32];
    snprintf(name, sizeof name, "cvt.%c%u.%c%u", is_signed ? 's' : 'u', to * 8, is_signed ? 's' : 'u',
             from * 8);
    char canonical[32];
    return form_find(form_canonical(name, canonical, sizeof canonical));
}

static bool fill_resize(struct decoder *decoder, struct insn *insn, uint32_t dest, uint32_t to,
                        uint32_t source, uint32_t from, bool is_signed)
{
    const struct form *form = resize_form(to, from, is_signed);
    if (!form)
        return decode_error(decoder, "no way from %u to %u bits", from * 8, to * 8);
    insn->kind = INSN_ALU;
    insn->form = form;
    insn->fn = form->fn;
    insn->dsize = (uint8_t)to;
    insn->ndefs = insn->nuses = 1;
    insn->o[0] = dest;
    insn->o[1] = source;
    insn->o[2] = insn->o[3] = source;
    return true;
}

static bool add_operand(struct decoder *decoder, struct insn *out, uint32_t value, bool is_dest)
{
    if (out->ndefs + out->nuses >= MAX_OPERANDS)
        return decode_error(decoder, "has too many operands");
    out->o[out->ndefs + out->nuses] = value;
    if (is_dest)
        out->ndefs++;
    else
        out->nuses++;
    return true;
}

static bool result_is_signed(const struct decoder *decoder)
{
    struct opcode opcode;
    if (!opcode_split(&opcode, decoder->current->name))
        return false;
    for (int i = 1; i < opcode.count; i++)
        if (ptx_type_find(opcode.parts[i], strlen(opcode.parts[i])) != PTX_NONE)
            return opcode.parts[i][0] == 's';
    return false;
}

bool decode_dest(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand, char letter)
{
    if (operand->kind == PTX_OP_SINK) {
        out->dsize = (uint8_t)letter_size(letter == '*' ? 'w' : letter);
        return add_operand(decoder, out, decode_temp(decoder, out->dsize ? out->dsize : 4), true);
    }
    if (operand->kind != PTX_OP_REG)
        return decode_error(decoder, "its destination must be a register");
    uint32_t size = decoder->sizes[operand->reg], need = letter == '*' ? size : letter_size(letter);
    if (!size)
        return decode_error(decoder, "its destination must not be a predicate");
    out->dsize = (uint8_t)need;
    if (size == need)
        return add_operand(decoder, out, operand->reg, true);
    if (size < need)
        return decode_error(decoder, "register %s is too small",
                            decoder->function->ptx->regs[operand->reg].name);
    uint32_t temp = decode_temp(decoder, need);
    if (decoder->npending >= 4)
        return decode_error(decoder, "has too many destinations");
    struct insn *after = &decoder->pending[decoder->npending++];
    memset(after, 0, sizeof *after);
    return fill_resize(decoder, after, operand->reg, size, temp, need, result_is_signed(decoder)) &&
           add_operand(decoder, out, temp, true);
}

bool decode_flush_pending(struct decoder *decoder)
{
    const struct insn last = decoder->code[decoder->ncode - 1];
    for (uint32_t i = 0; i < decoder->npending; i++) {
        struct insn *insn = decode_emit(decoder);
        if (!insn)
            return false;
        uint32_t loc = insn->loc;
        *insn = decoder->pending[i];
        insn->loc = loc;
        insn->source = decoder->current;
        insn->guard = last.guard;
        insn->guard_not = last.guard_not;
    }
    decoder->npending = 0;
    return true;
}

static bool add_register(struct decoder *decoder, struct insn *out, uint32_t reg, char letter)
{
    uint32_t size = decoder->sizes[reg], need = letter == '*' ? size : letter_size(letter);
    if (!size)
        return decode_error(decoder, "a predicate cannot be used here");
    if (size == need)
        return add_operand(decoder, out, reg, false);
    if (size < need)
        return decode_error(decoder, "register %s is too small", decoder->function->ptx->regs[reg].name);
    uint32_t temp = decode_temp(decoder, need);
    struct insn *before = decode_emit(decoder);
    return before && fill_resize(decoder, before, temp, need, reg, size, false) &&
           add_operand(decoder, out, temp, false);
}

/* ------------------------------------------------------------------------------------------- addresses */

static const struct param *find_param(const struct param *params, uint32_t count, const struct ptx_var *var)
{
    for (uint32_t i = 0; i < count; i++)
        if (params[i].var == var)
            return &params[i];
    return NULL;
}

static uint32_t local_offset(const struct function *function, const struct ptx_var *var)
{
    for (size_t i = 0; i < function->ptx->nvars; i++)
        if (function->ptx->vars[i] == var)
            return function->local_offsets[i];
    return 0;
}

/* What the address of a variable is made of. */
struct place {
    enum { PLACE_FIXED, PLACE_LOCAL, PLACE_DYNAMIC_SHARED, PLACE_PARAM, PLACE_ARGUMENT } kind;
    uint64_t address;
};

static bool place_of_var(struct decoder *decoder, const struct ptx_var *var, struct place *place)
{
    const struct function *function = decoder->function;
    if (var->space == PTX_LOCAL || var->space == PTX_SHARED) {
        bool is_open = var->space == PTX_SHARED && var->is_extern;
        place->kind = var->space == PTX_LOCAL ? PLACE_LOCAL : is_open ? PLACE_DYNAMIC_SHARED : PLACE_FIXED;
        place->address = is_open ? 0 : local_offset(function, var);
        return true;
    }
    const struct param *param = find_param(function->params, function->nparams + function->nreturns, var);
    place->kind = PLACE_PARAM;
    if (!param) {
        param = find_param(function->args, function->nargs, var);
        place->kind = PLACE_ARGUMENT;
    }
    if (!param)
        return decode_error(decoder, "variable `%s` has no place", var->name);
    place->address = param->offset;
    return true;
}

static bool place_of_symbol(struct decoder *decoder, const char *name, struct place *place)
{
    const struct symbol *symbol = module_symbol(decoder->module, name);
    if (symbol) {
        bool is_open = symbol->var->space == PTX_SHARED && symbol->var->is_extern;
        place->kind = is_open ? PLACE_DYNAMIC_SHARED : PLACE_FIXED;
        place->address = is_open ? 0 : symbol->address;
        return true;
    }
    const struct function *function = module_function(decoder->module, name);
    if (!function)
        return decode_error(decoder, "nothing is called `%s`", name);
    place->kind = PLACE_FIXED;
    place->address = FUNCTION_BASE + function->index;
    return true;
}

static bool place_of(struct decoder *decoder, const struct ptx_operand *operand, struct place *place)
{
    return operand->kind == PTX_OP_VAR ? place_of_var(decoder, operand->var, place)
                                       : place_of_symbol(decoder, operand->name, place);
}

/* The address of a variable as a value in a register. */
static bool add_address_of(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand,
                           uint32_t size)
{
    struct place place = {PLACE_FIXED, 0};
    if (!place_of(decoder, operand, &place))
        return false;
    uint64_t address = place.address + (uint64_t)operand->offset;
    if (place.kind != PLACE_LOCAL && place.kind != PLACE_DYNAMIC_SHARED)
        return add_operand(decoder, out, decode_constant(decoder, address, size), false);
    uint32_t temp = decode_temp(decoder, size);
    bool is_done = place.kind == PLACE_LOCAL ? decode_local_address(decoder, (uint32_t)address, temp, size)
                                             : decode_dynamic_shared(decoder, (int64_t)address, temp, size);
    return is_done && add_operand(decoder, out, temp, false);
}

bool decode_source(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand, char letter)
{
    uint32_t size = letter == '*' ? (out->ndefs ? out->dsize : 4) : letter_size(letter);
    uint32_t temp;
    switch (operand->kind) {
    case PTX_OP_REG:
        return add_register(decoder, out, operand->reg, letter);
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
        return add_operand(decoder, out, decode_constant(decoder, literal_bits(operand, letter), size),
                           false);
    case PTX_OP_SREG:
        temp = decode_temp(decoder, size);
        return decode_special(decoder, operand->name, temp, size) && add_operand(decoder, out, temp, false);
    case PTX_OP_VAR:
    case PTX_OP_SYMBOL:
        return add_address_of(decoder, out, operand, size);
    case PTX_OP_SINK:
        return add_operand(decoder, out, decode_constant(decoder, 0, size), false);
    default:
        return decode_error(decoder, "an operand is of a kind that cannot stand here");
    }
}

/* Addresses wrap round, however absurd an offset is. */
static int64_t wrapped_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool add_constant_address(struct decoder *decoder, struct insn *out, const struct ptx_operand *base,
                                 int64_t offset)
{
    struct place place = {PLACE_FIXED, 0};
    if (!place_of(decoder, base, &place))
        return false;
    out->imm = wrapped_sum(wrapped_sum((int64_t)place.address, base->offset), offset);
    if (place.kind != PLACE_DYNAMIC_SHARED) {
        out->is_argument = place.kind == PLACE_ARGUMENT;
        return add_operand(decoder, out, SLOT_NONE, false);
    }
    uint32_t temp = decode_temp(decoder, 4);
    return decode_dynamic_shared(decoder, 0, temp, 4) && add_operand(decoder, out, temp, false);
}

bool decode_address(struct decoder *decoder, struct insn *out, const struct ptx_operand *operand,
                    enum ptx_space space)
{
    (void)space;
    if (operand->kind != PTX_OP_ADDRESS || operand->count < 1)
        return decode_error(decoder, "expected an address in brackets");
    const struct ptx_operand *base = &operand->list[0];
    out->imm = operand->offset;
    out->is_wide = false;
    switch (base->kind) {
    case PTX_OP_REG:
        out->is_wide = decoder->sizes[base->reg] == 8;
        out->imm = wrapped_sum(out->imm, base->offset);
        return add_register(decoder, out, base->reg, '*');
    case PTX_OP_VAR:
    case PTX_OP_SYMBOL:
        return add_constant_address(decoder, out, base, operand->offset);
    case PTX_OP_INT:
        out->imm = wrapped_sum(out->imm, (int64_t)base->bits);
        return add_operand(decoder, out, SLOT_NONE, false);
    default:
        return decode_error(decoder, "the address must begin with a register, a variable or a number");
    }
}

/* ------------------------------------------------------------------------------------------- predicates */

static bool new_pred(struct decoder *decoder, uint16_t *number)
{
    if (decoder->npreds >= PRED_NONE - 1)
        return decode_error(decoder, "the function has too many predicates");
    *number = (uint16_t)decoder->npreds++;
    return true;
}

bool decode_pred_dest(struct decoder *decoder, const struct ptx_operand *operand, uint16_t *number)
{
    if (operand->kind == PTX_OP_SINK) {
        *number = PRED_NONE;
        return true;
    }
    if (operand->kind != PTX_OP_REG || decoder->pred_numbers[operand->reg] == PRED_NONE)
        return decode_error(decoder, "expected a predicate");
    *number = decoder->pred_numbers[operand->reg];
    return true;
}

/* A fresh predicate computed by a one- or two-operand predicate form. */
static bool emit_pred(struct decoder *decoder, const char *name, uint16_t dest, uint16_t source)
{
    const struct form *form = form_find(name);
    struct insn *insn = form ? decode_emit(decoder) : NULL;
    if (!insn)
        return decode_error(decoder, "no form `%s`", name);
    insn->kind = INSN_SETP;
    insn->form = form;
    insn->fn = form->fn;
    insn->preds[0] = dest;
    insn->preds[1] = insn->preds[2] = PRED_NONE;
    insn->nuses = 1;
    insn->o[0] = insn->o[1] = insn->o[2] = SLOT_PRED | source;
    return true;
}

static bool literal_pred(struct decoder *decoder, bool is_true, uint16_t *number)
{
    /* a predicate nobody writes is false; its complement is true */
    uint16_t zero = 0;
    if (!new_pred(decoder, &zero))
        return false;
    *number = zero;
    return !is_true || (new_pred(decoder, number) && emit_pred(decoder, "not.pred", *number, zero));
}

bool decode_pred_source(struct decoder *decoder, const struct ptx_operand *operand, uint16_t *number)
{
    if (operand->kind == PTX_OP_INT)
        return literal_pred(decoder, (operand->bits != 0) != operand->is_negated, number);
    uint16_t source = PRED_NONE;
    if (!decode_pred_dest(decoder, operand, &source) || source == PRED_NONE)
        return decode_error(decoder, "expected a predicate");
    *number = source;
    if (!operand->is_negated)
        return true;
    return new_pred(decoder, number) && emit_pred(decoder, "not.pred", *number, source);
}
