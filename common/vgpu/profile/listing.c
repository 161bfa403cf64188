/* listing.c - see listing.h. */
#include "profile/listing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/names.h"

/* ------------------------------------------------------------------------------------------- text */

struct text {
    char *out;
    size_t size, used;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    va_list list;
    if (text->used >= text->size)
        return;
    va_start(list, format);
    const int length = vsnprintf(text->out + text->used, text->size - text->used, format, list);
    va_end(list);
    text->used += length > 0 ? (size_t)length : 0;
}

static const char *register_name(const struct function *function, uint32_t reg)
{
    return reg < function->ptx->nregs ? function->ptx->regs[reg].name : "?";
}

static void put_operand(struct text *text, const struct function *function,
                        const struct ptx_operand *operand);

static void put_list(struct text *text, const struct function *function, const struct ptx_operand *operand,
                     const char *between)
{
    for (uint32_t i = 0; i < operand->count; i++) {
        put(text, "%s", i ? between : "");
        put_operand(text, function, &operand->list[i]);
    }
}

static void put_offset(struct text *text, int64_t offset)
{
    if (offset)
        put(text, "%+lld", (long long)offset);
}

static void put_literal(struct text *text, const struct ptx_operand *operand)
{
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)operand->bits;
    memcpy(&wide, &operand->bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    if (operand->kind == PTX_OP_F32)
        put(text, "%.9g", (double)narrow);
    else if (operand->kind == PTX_OP_F64)
        put(text, "%.17g", wide);
    else
        put(text, "%lld", (long long)operand->bits);
}

/* A parameter is called after its function and its number: the number tells enough. */
static void put_variable(struct text *text, const char *mangled, int64_t offset)
{
    char name[120];
    const char *number = strstr(mangled, "_param_");
    name_short(mangled, name, sizeof name);
    put(text, "%s", number ? number + 1 : name);
    put_offset(text, offset);
}

static void put_operand(struct text *text, const struct function *function, const struct ptx_operand *operand)
{
    put(text, "%s", !operand->is_negated ? "" : operand->kind == PTX_OP_REG ? "!" : "-");
    switch (operand->kind) {
    case PTX_OP_REG:
        put(text, "%s", register_name(function, operand->reg));
        break;
    case PTX_OP_VAR:
        put_variable(text, operand->var->name, operand->offset);
        break;
    case PTX_OP_SREG:
        put(text, "%s", operand->name);
        break;
    case PTX_OP_SYMBOL:
        put_variable(text, operand->name, operand->offset);
        break;
    case PTX_OP_LABEL:
        put(text, "%s",
            operand->label < function->ptx->nlabels ? function->ptx->labels[operand->label].name : "?");
        break;
    case PTX_OP_ADDRESS:
        put(text, "[");
        put_list(text, function, operand, ", ");
        put_offset(text, operand->offset);
        put(text, "]");
        break;
    case PTX_OP_LIST:
        put(text, "{");
        put_list(text, function, operand, ", ");
        put(text, "}");
        break;
    case PTX_OP_PAIR:
        put_list(text, function, operand, "|");
        break;
    case PTX_OP_SINK:
        put(text, "_");
        break;
    default:
        put_literal(text, operand);
    }
    put(text, "%s", operand->selector ? operand->selector : "");
}

void listing_text(const struct function *function, const struct insn *insn, char *out, size_t size)
{
    struct text text = {out, size, 0};
    const struct ptx_insn *source = insn->source;
    *out = '\0';
    if (!source)
        return;
    if (source->guard >= 0)
        put(&text, "@%s%s ", source->guard_negated ? "!" : "",
            register_name(function, (uint32_t)source->guard));
    put(&text, "%s", source->name);
    for (uint32_t i = 0; i < source->noperands; i++) {
        put(&text, "%s", i ? ", " : " ");
        put_operand(&text, function, &source->operands[i]);
    }
}

/* ------------------------------------------------------------------------------------------- kinds */

static const struct {
    const char *type;
    char kind;
} kinds_of_types[] = {{"f32", 'f'}, {"f64", 'd'}, {"s32", 's'}, {"s64", 's'},
                      {"s16", 's'}, {"u16", 'u'}, {"u32", 'u'}};

/* The kind that a part of an opcode between dots tells; 0: none. */
static char kind_of(const char *part, size_t length)
{
    for (size_t i = 0; i < sizeof kinds_of_types / sizeof *kinds_of_types; i++)
        if (strlen(kinds_of_types[i].type) == length && !strncmp(part, kinds_of_types[i].type, length))
            return kinds_of_types[i].kind;
    return 0;
}

/* Kinds of the first and of the last type of an opcode: of what it makes, and of what it takes. */
static void find_kinds(const char *name, char *first, char *last)
{
    *first = *last = 0;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        const size_t length = strcspn(dot + 1, ".");
        const char kind = kind_of(dot + 1, length);
        *first = *first ? *first : kind;
        *last = kind ? kind : *last;
    }
}

static void mark(const struct function *function, char *kinds, const struct ptx_operand *operand, char kind)
{
    for (uint32_t i = 0; operand->kind == PTX_OP_LIST && i < operand->count; i++)
        mark(function, kinds, &operand->list[i], kind);
    if (operand->kind != PTX_OP_REG || operand->reg >= function->ptx->nregs)
        return;
    const enum ptx_type type = function->ptx->regs[operand->reg].type;
    const bool is_wide = ptx_type_size(type) == 8, is_float = kind == 'f' || kind == 'd';
    if (type != PTX_PRED && (kind != 'd' || is_wide) && (kind != 'f' || !is_wide) &&
        (is_float || !kinds[operand->reg]))
        kinds[operand->reg] = kind;
}

static void mark_insn(const struct function *function, char *kinds, const struct ptx_insn *insn)
{
    char first, last;
    find_kinds(insn->name, &first, &last);
    for (uint32_t i = 0; first && i < insn->noperands; i++)
        mark(function, kinds, &insn->operands[i], i ? last : first);
}

char *listing_kinds(const struct function *function)
{
    const struct ptx_func *ptx = function->ptx;
    char *kinds = calloc(ptx->nregs + 1, 1);
    for (size_t i = 0; kinds && i < ptx->ninsns; i++)
        mark_insn(function, kinds, &ptx->insns[i]);
    for (size_t i = 0; kinds && i < ptx->nregs; i++)
        if (!kinds[i])
            kinds[i] = ptx->regs[i].type == PTX_PRED           ? 'p'
                       : ptx_type_size(ptx->regs[i].type) == 8 ? 'x'
                                                               : 'u';
    return kinds;
}

/* ------------------------------------------------------------------------------------------- names */

int32_t listing_register(const struct insn *insn, uint32_t i)
{
    const struct ptx_operand *to =
        insn->source && insn->source->noperands ? &insn->source->operands[0] : NULL;
    if (!to)
        return -1;
    if (to->kind == PTX_OP_REG)
        return i == 0 ? (int32_t)to->reg : -1;
    for (uint32_t k = 0; (to->kind == PTX_OP_LIST || to->kind == PTX_OP_PAIR) && k < to->count; k++)
        if (to->list[k].kind == PTX_OP_REG && i-- == 0)
            return (int32_t)to->list[k].reg;
    return -1;
}

static const struct {
    const char *word, *name;
} specials[] = {
    {"%tid.", "threadIdx."}, {"%ntid.", "blockDim."}, {"%ctaid.", "blockIdx."}, {"%nctaid.", "gridDim."}};

static void alias_special(const char *name, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strncmp(name, specials[i].word, strlen(specials[i].word)))
            snprintf(out, size, "%s%s", specials[i].name, name + strlen(specials[i].word));
}

/* The number of a parameter of the kernel; -1: it is none. */
static int parameter_of(const struct function *function, const struct ptx_operand *address)
{
    const struct ptx_operand *base =
        address->kind == PTX_OP_ADDRESS && address->count ? &address->list[0] : NULL;
    for (size_t i = 0; base && base->kind == PTX_OP_VAR && i < function->ptx->nparams; i++)
        if (function->ptx->params[i] == base->var && !address->offset && !base->offset)
            return (int)i;
    return -1;
}

void listing_alias(const struct launch *launch, const struct function *function, const struct insn *insn,
                   char *out, size_t size)
{
    const struct ptx_insn *source = insn->source;
    char kernel[200];
    *out = '\0';
    if (!source || source->noperands < 2)
        return;
    if (source->operands[1].kind == PTX_OP_SREG)
        alias_special(source->operands[1].name, out, size);
    const int number = function == launch->kernel ? parameter_of(function, &source->operands[1]) : -1;
    if (number < 0 || strncmp(source->name, "ld.param", 8) != 0)
        return;
    name_of_function(launch->kernel_name, kernel, sizeof kernel);
    if (!source_parameter(source_file_of(launch->kernel), kernel, (unsigned)number, out, size))
        *out = '\0';
}
