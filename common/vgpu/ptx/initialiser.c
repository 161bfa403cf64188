/* initialiser.c - initialisers: numbers, nested braces, addresses of symbols.
 * Bytes go to the place the braces say; the module's initialisers together are limited.
 * Addresses become relocations: they are known only when the module is loaded. */
#include "base/number.h"
#include "ptx/reader.h"

#include <string.h>
#include <stdlib.h>

struct initialiser {
    struct ptx_var *var;
    uint32_t element_size;
    const uint64_t *dims; /* the last may be the width of a vector */
    size_t ndims;
    uint8_t *bytes; /* on the heap until the end */
    uint64_t size;
    size_t capacity;
    struct list relocs;
};

static bool grow_bytes(struct reader *reader, struct initialiser *init, uint64_t size)
{
    if (size <= init->size)
        return true;
    reader->initialiser_bytes += size - init->size;
    if (size > MAX_INITIALISERS || reader->initialiser_bytes > MAX_INITIALISERS) {
        fail_at(reader, &reader->token, "the initialisers of this module exceed %d bytes", MAX_INITIALISERS);
        return false;
    }
    uint8_t *bytes = list_reserve(init->bytes, &init->capacity, size, 1);
    if (!bytes) {
        fail_memory(reader);
        return false;
    }
    init->bytes = bytes;
    memset(init->bytes + init->size, 0, size - init->size);
    init->size = size;
    return true;
}

static uint16_t half_bits(double number, bool is_bfloat);

/* The bits that a constant has in an element of this type. */
static uint64_t element_bits(enum ptx_type type, const struct constant *value)
{
    double number = constant_number(value);
    float single = (float)number;
    uint64_t bits = 0;
    if (type == PTX_F64)
        memcpy(&bits, &number, sizeof number);
    else if (type == PTX_F32)
        memcpy(&bits, &single, sizeof single);
    else if ((type == PTX_F16 || type == PTX_BF16) && value->kind != TOKEN_INT)
        bits = half_bits(number, type == PTX_BF16);
    else
        bits = value->bits;
    /* a NaN's payload must survive: no conversion where the literal has the element's width */
    if ((type == PTX_F64 && value->kind == TOKEN_F64) || (type == PTX_F32 && value->kind == TOKEN_F32))
        bits = value->bits;
    return bits;
}

/* Rounds to nearest even, to 11 bits of precision (f16) or 8 (bf16). */
static uint16_t half_bits(double number, bool is_bfloat)
{
    int fraction_bits = is_bfloat ? 7 : 10, bias = is_bfloat ? 127 : 15;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15), infinity = (uint16_t)((2 * bias + 1) << fraction_bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023 + bias;
    uint64_t fraction = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    if ((bits >> 52 & 0x7ff) == 0x7ff)
        return (uint16_t)(sign | infinity | (fraction << 12 ? 1u << (fraction_bits - 1) : 0));
    int shift = 52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0);
    if (shift > 54)
        return sign;
    uint64_t kept = fraction >> shift, rest = fraction & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    int64_t result = (int64_t)kept + ((int64_t)(exponent < 1 ? 0 : exponent - 1) << fraction_bits);
    return (uint16_t)(sign | (result > infinity ? infinity : result));
}

static void store_constant(struct reader *reader, struct initialiser *init, uint64_t offset,
                           const struct constant *value)
{
    uint64_t bits = element_bits(init->var->type, value);
    uint32_t stored = init->element_size < 8 ? init->element_size : 8;
    if (grow_bytes(reader, init, offset + init->element_size))
        memcpy(init->bytes + offset, &bits, stored);
}

/* A word that means something only before a parenthesis: variables may be called so as well. */
static bool is_prefix(const struct reader *reader, const char *word)
{
    if (!token_is(&reader->token, word))
        return false;
    struct token next = peek_token(reader);
    return next.kind == TOKEN_PUNCT && next.punct == '(';
}

/* symbol, generic(symbol), each with an offset. */
static void read_symbol(struct reader *reader, struct ptx_reloc *reloc)
{
    struct token token = reader->token;
    bool is_generic = is_prefix(reader, "generic");
    if (is_generic) {
        reader_next(reader);
        expect_punct(reader, '(', "after generic");
        token = reader->token;
    }
    if (token.kind != TOKEN_NAME) {
        fail_expected(reader, "a symbol");
        return;
    }
    reloc->symbol = reader_text(reader, token.text, token.size, token.hash);
    reader_next(reader);
    read_offset(reader, &reloc->addend);
    if (is_generic)
        expect_punct(reader, ')', "after generic(symbol");
    read_offset(reader, &reloc->addend);
}

static void add_reloc(struct reader *reader, struct initialiser *init, uint64_t offset,
                      const struct ptx_reloc *value)
{
    struct ptx_reloc *reloc = reader_push(reader, &init->relocs, sizeof *reloc);
    if (!reloc || !grow_bytes(reader, init, offset + init->element_size))
        return;
    *reloc = *value;
    reloc->offset = offset;
    if (!reloc->size)
        reloc->size = (uint8_t)(init->element_size < 8 ? init->element_size : 8);
}

/* 0xff00(symbol): one byte of an address. The mask has been read; '(' is current. */
static void read_masked(struct reader *reader, struct initialiser *init, uint64_t offset, uint64_t mask)
{
    struct ptx_reloc reloc = {.size = 1};
    if (!mask) {
        fail_at(reader, &reader->token, "the mask of an address is zero");
        return;
    }
    reloc.shift = (uint8_t)__builtin_ctzll(mask);
    reader_next(reader);
    read_symbol(reader, &reloc);
    expect_punct(reader, ')', "after a masked symbol");
    add_reloc(reader, init, offset, &reloc);
}

/* Tables of plain integers are most of many a module: they take a short way. */
static bool read_plain_integer(struct reader *reader, struct initialiser *init, uint64_t offset)
{
    const struct lexer *lexer = &reader->lexer;
    if (reader->token.kind != TOKEN_INT || lexer->pos >= lexer->end ||
        (*lexer->pos != ',' && *lexer->pos != '}'))
        return false;
    struct constant value = {
        .kind = TOKEN_INT, .is_unsigned = reader->token.is_unsigned, .bits = reader->token.bits};
    store_constant(reader, init, offset, &value);
    if (!reader_failed(reader))
        reader_next(reader);
    return true;
}

/* mask(0xff)(symbol) and 0xff(symbol) mean the same. */
static void read_value(struct reader *reader, struct initialiser *init, uint64_t offset)
{
    struct constant value;
    struct ptx_reloc reloc = {0};
    if (read_plain_integer(reader, init, offset))
        return;
    if (is_prefix(reader, "mask"))
        reader_next(reader);
    if (reader->token.kind == TOKEN_NAME && !is_constant_start(&reader->token)) {
        read_symbol(reader, &reloc);
        add_reloc(reader, init, offset, &reloc);
    } else if (read_constant(reader, &value)) {
        if (is_punct(reader, '(') && value.kind == TOKEN_INT)
            read_masked(reader, init, offset, value.bits);
        else
            store_constant(reader, init, offset, &value);
    }
}

static uint64_t stride_of(const struct initialiser *init, size_t level)
{
    uint64_t stride = init->element_size;
    for (size_t i = level + 1; i < init->ndims; i++)
        stride = stride > MAX_INITIALISERS
                     ? stride
                     : stride * (init->dims[i] < MAX_INITIALISERS ? init->dims[i] : MAX_INITIALISERS);
    return stride;
}

/* One pair of braces; returns how many bytes of the variable it covers. Recursion is bounded by the dimensions. */
static uint64_t read_braces(struct reader *reader, struct initialiser *init, size_t level, uint64_t offset)
{
    uint64_t stride = stride_of(init, level), start = offset;
    if (level >= init->ndims) {
        fail_at(reader, &reader->token, "more braces than the variable has dimensions");
        return 0;
    }
    reader_next(reader);
    while (!is_punct(reader, '}') && !reader_failed(reader)) {
        if (is_punct(reader, '{')) {
            offset = start + (stride ? round_up(offset - start, stride) : 0);
            read_braces(reader, init, level + 1, offset);
            offset += stride;
        } else {
            read_value(reader, init, offset);
            offset += init->element_size;
        }
        if (offset > MAX_INITIALISERS)
            fail_at(reader, &reader->token, "this initialiser exceeds %d bytes", MAX_INITIALISERS);
        if (!accept_punct(reader, ',') && !is_punct(reader, '}'))
            fail_expected(reader, "',' or '}' in an initialiser");
    }
    expect_punct(reader, '}', "after an initialiser");
    return offset - start;
}

static void keep_bytes(struct reader *reader, struct initialiser *init)
{
    struct ptx_var *var = init->var;
    if (init->size) {
        var->init = reader_alloc(reader, init->size);
        if (!var->init)
            return;
        memcpy(var->init, init->bytes, init->size);
    }
    var->init_size = init->size;
    var->nrelocs = init->relocs.count;
    var->relocs = reader_keep(reader, &init->relocs, 0, sizeof *var->relocs);
}

void read_initialiser(struct reader *reader, struct ptx_var *var, uint32_t element_size, const uint64_t *dims,
                      size_t ndims, uint64_t *outer_count)
{
    struct initialiser init = {.var = var, .element_size = element_size, .dims = dims, .ndims = ndims};
    bool is_handle = var->type == PTX_TEXREF || var->type == PTX_SAMPLERREF || var->type == PTX_SURFREF;
    if (!element_size) {
        fail_expected(reader, "no initialiser here");
    } else if (is_punct(reader, '{') && is_handle) {
        skip_brackets(reader, 0, '{', '}',
                      "'}'"); /* attributes of a texture or sampler are the host's business */
    } else if (is_punct(reader, '{') && ndims) {
        uint64_t stride = stride_of(&init, 0), covered = read_braces(reader, &init, 0, 0);
        *outer_count = stride ? divide_up(covered, stride) : 0;
    } else if (is_punct(reader, '{')) {
        reader_next(reader); /* a scalar may stand in braces */
        read_value(reader, &init, 0);
        expect_punct(reader, '}', "after an initialiser");
    } else {
        read_value(reader, &init, 0);
        *outer_count = 1;
    }
    if (!reader_failed(reader))
        keep_bytes(reader, &init);
    free(init.bytes);
    list_free(&init.relocs);
}
