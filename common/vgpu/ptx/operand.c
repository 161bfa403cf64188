/* operand.c - the operands of an instruction: registers, constants, addresses, lists.
 * Names become registers and variables of the function; what is left is a special register (%...) or a symbol.
 * Symbols that name a label are turned into labels when their scope ends: see body.c. */
#include "ptx/reader.h"

#include <string.h>

static struct name *newer(struct name *a, struct name *b)
{
    if (!a || !b)
        return a ? a : b;
    return a->scope > b->scope ? a : b;
}

/* The number in the last ndigits characters of a name; false if it is too large. */
static bool tail_number(const struct token *token, uint32_t ndigits, uint32_t *number)
{
    const char *digits = token->text + token->size - ndigits;
    if (ndigits > 9)
        return false;
    *number = 0;
    for (uint32_t i = 0; i < ndigits; i++)
        *number = *number * 10 + (uint32_t)(digits[i] - '0');
    return true;
}

/* The range that declares this register. A stem may itself end in digits, so every split is tried. */
static struct name *find_range(struct reader *reader, const struct token *token, uint32_t *number,
                               struct name **missed)
{
    for (uint32_t ndigits = token->digits; ndigits > 0; ndigits--) {
        size_t stem = token->size - ndigits;
        uint32_t hash = ndigits == token->digits ? token->stem_hash : hash_text(token->text, stem);
        if (!stem || !tail_number(token, ndigits, number))
            continue;
        struct name *range = names_find(&reader->names, token->text, stem, hash, true);
        if (range && *number < range->count)
            return range;
        if (range)
            *missed = range;
    }
    return NULL;
}

static void fail_missed(struct reader *reader, const struct token *token, const struct name *range)
{
    char words[64];
    fail_at(reader, token, "register %s is not declared: %.*s<%u> ends before it",
            token_words(token, words, sizeof words), (int)(range->size < 64 ? range->size : 64), range->text,
            range->count);
}

struct name *find_register(struct reader *reader, const struct token *token, uint32_t *reg)
{
    uint32_t number = 0;
    struct name *missed = NULL, *range = token->digits ? find_range(reader, token, &number, &missed) : NULL;
    struct name *exact = names_find(&reader->names, token->text, token->size, token->hash, false);
    if (exact && exact->kind == NAME_LABEL)
        exact = NULL;
    struct name *name = newer(exact, range);
    if (!name && missed && *token->text == '%')
        fail_missed(reader, token, missed);
    if (name)
        *reg = name->index + (name == range ? number : 0);
    return name;
}

/* v.x of a vector register; -1 if the selector picks no element of it. */
static int vector_element(const struct name *name, const char *tail, size_t size)
{
    static const char letters[] = "xyzwrgba";
    const char *found = size == 2 && tail[1] ? strchr(letters, tail[1]) : NULL;
    int element = found ? (int)(found - letters) % 4 : -1;
    return element >= 0 && (uint32_t)element < name->count ? element : -1;
}

static void set_register(struct ptx_operand *operand, uint32_t reg)
{
    operand->kind = PTX_OP_REG;
    operand->reg = reg;
}

/* A whole vector register stands for the list of its elements. */
static void set_vector(struct reader *reader, struct ptx_operand *operand, const struct name *name)
{
    operand->kind = PTX_OP_LIST;
    operand->count = name->count;
    operand->list = reader_alloc(reader, name->count * sizeof *operand->list);
    for (uint32_t i = 0; operand->list && i < name->count; i++)
        set_register(&operand->list[i], name->index + i);
}

static void set_selector(struct reader *reader, struct ptx_operand *operand, const char *tail, size_t size)
{
    operand->selector = reader_text(reader, tail, size, hash_text(tail, size));
}

static void set_variable(struct ptx_operand *operand, struct ptx_var *var)
{
    bool is_local = var->space != PTX_GLOBAL && var->space != PTX_CONST;
    operand->kind = is_local ? PTX_OP_VAR : PTX_OP_SYMBOL;
    operand->name = var->name;
    operand->var = is_local ? var : NULL;
}

static void set_unknown(struct reader *reader, struct ptx_operand *operand, const struct token *token,
                        size_t tail)
{
    bool is_special = *token->text == '%';
    size_t size = token->size + (is_special ? tail : 0);
    uint32_t hash = size == token->size ? token->hash : hash_text(token->text, size);
    operand->kind = is_special ? PTX_OP_SREG : PTX_OP_SYMBOL;
    operand->name = reader_text(reader, token->text, size, hash);
    if (!is_special && tail)
        set_selector(reader, operand, token->text + token->size, tail);
}

/* A name and the selector that touches it. */
static void read_name(struct reader *reader, struct ptx_operand *operand)
{
    struct token token = reader->token;
    const char *tail = reader->lexer.pos;
    size_t tail_size = lex_tail(&reader->lexer);
    uint32_t reg = 0;
    struct name *name = find_register(reader, &token, &reg);
    reader_next(reader);
    if (token.size == 1 && *token.text == '_') {
        operand->kind = PTX_OP_SINK;
    } else if (!name) {
        set_unknown(reader, operand, &token, tail_size);
    } else if (name->kind == NAME_VARIABLE) {
        set_variable(operand, name->item);
    } else if (name->kind == NAME_VECTOR && !tail_size) {
        set_vector(reader, operand, name);
    } else if (name->kind == NAME_VECTOR) {
        int element = vector_element(name, tail, tail_size);
        if (element < 0)
            fail_at(reader, &token, "this vector register has no element %.*s",
                    (int)(tail_size < 32 ? tail_size : 32), tail);
        set_register(operand, reg + (uint32_t)(element < 0 ? 0 : element));
    } else {
        set_register(operand, reg);
        if (tail_size)
            set_selector(reader, operand, tail, tail_size);
    }
}

static bool read_number(struct reader *reader, struct ptx_operand *operand)
{
    struct constant value;
    if (!read_constant(reader, &value))
        return false;
    operand->kind = value.kind == TOKEN_F32 ? PTX_OP_F32 : value.kind == TOKEN_F64 ? PTX_OP_F64 : PTX_OP_INT;
    operand->bits = value.bits;
    return true;
}

/* Operands up to the closing character go to the reader's stack, then as one array to the arena. */
static bool read_items(struct reader *reader, char close, bool is_call, struct ptx_operand *owner,
                       size_t mark)
{
    if (!is_punct(reader, close))
        do {
            struct ptx_operand item = {0}, *slot;
            if (!read_operand(reader, &item, is_call))
                return false;
            slot = reader_push(reader, &reader->operands, sizeof *slot);
            if (!slot)
                return false;
            *slot = item;
        } while (accept_punct(reader, ','));
    if (!expect_punct(reader, close, "after a list of operands"))
        return false;
    owner->count = (uint32_t)(reader->operands.count - mark);
    owner->list = reader_keep(reader, &reader->operands, mark, sizeof *owner->list);
    reader->operands.count = mark;
    return !reader_failed(reader);
}

static bool read_list(struct reader *reader, struct ptx_operand *operand, char close)
{
    reader_next(reader);
    operand->kind = PTX_OP_LIST;
    return read_items(reader, close, false, operand, reader->operands.count);
}

/* [base + offset, more items]; '[' is current. */
static bool read_address(struct reader *reader, struct ptx_operand *operand)
{
    size_t mark = reader->operands.count;
    struct ptx_operand base = {0}, *slot;
    struct token start;
    reader_next(reader);
    start = reader->token;
    operand->kind = PTX_OP_ADDRESS;
    if (start.kind == TOKEN_NAME && !token_is(&start, "WARP_SZ"))
        read_name(reader, &base);
    else if (is_constant_start(&start))
        read_number(reader, &base);
    else
        fail_expected(reader, "an address: a register, a variable or a number");
    if (reader_failed(reader) || !read_offset(reader, &operand->offset))
        return false;
    if (base.kind != PTX_OP_REG && base.kind != PTX_OP_VAR && base.kind != PTX_OP_SYMBOL &&
        base.kind != PTX_OP_INT) {
        fail_at(reader, &start,
                "an address cannot begin with this operand: expected a register, a variable or a "
                "number");
        return false;
    }
    slot = reader_push(reader, &reader->operands, sizeof *slot);
    if (!slot)
        return false;
    *slot = base;
    if (!is_punct(reader, ']') && !accept_punct(reader, ',')) {
        fail_expected(reader, "']', ',' or an offset in an address");
        return false;
    }
    bool is_read = read_items(reader, ']', false, operand, mark);
    accept_directive(reader, ".unified");
    return is_read;
}

/* ! or - before a name negates the name; before a number it belongs to the number. */
static bool negates_name(const struct reader *reader)
{
    if (!is_punct(reader, '!') && !is_punct(reader, '-'))
        return false;
    struct token next = peek_token(reader);
    return next.kind == TOKEN_NAME && !token_is(&next, "WARP_SZ");
}

/* WARP_SZ alone is a special register; with an operator after it, part of an expression. */
static bool read_warp_size(struct reader *reader, struct ptx_operand *operand)
{
    struct token next = peek_token(reader);
    if (next.kind == TOKEN_PUNCT && next.punct && strchr("+-*/%&^<>", next.punct & 0xff))
        return read_number(reader, operand);
    operand->kind = PTX_OP_SREG;
    operand->name = reader_text(reader, "WARP_SZ", 7, hash_text("WARP_SZ", 7));
    reader_next(reader);
    return true;
}

static bool read_named(struct reader *reader, struct ptx_operand *operand)
{
    if (token_is(&reader->token, "WARP_SZ"))
        return read_warp_size(reader, operand);
    read_name(reader, operand);
    if (operand->kind == PTX_OP_VAR || operand->kind == PTX_OP_SYMBOL)
        return read_offset(reader, &operand->offset);
    return !reader_failed(reader);
}

static bool read_simple(struct reader *reader, struct ptx_operand *operand, bool is_call)
{
    if (reader->token.kind == TOKEN_NAME)
        return read_named(reader, operand);
    if (is_punct(reader, '['))
        return read_address(reader, operand);
    if (is_punct(reader, '{'))
        return read_list(reader, operand, '}');
    if (is_punct(reader, '(')) {
        struct token next = peek_token(reader);
        if (is_call || !(is_constant_start(&next) || next.kind == TOKEN_DIRECTIVE))
            return read_list(reader, operand, ')');
    }
    if (negates_name(reader)) {
        reader_next(reader);
        operand->is_negated = true;
        return read_named(reader, operand);
    }
    if (is_constant_start(&reader->token))
        return read_number(reader, operand);
    fail_expected(reader, "an operand");
    return false;
}

/* a|b: two destinations. */
static bool read_second(struct reader *reader, struct ptx_operand *operand)
{
    struct ptx_operand *list = reader_alloc(reader, 2 * sizeof *list);
    reader_next(reader);
    if (!list || !read_simple(reader, &list[1], false))
        return false;
    list[0] = *operand;
    *operand = (struct ptx_operand){.kind = PTX_OP_PAIR, .list = list, .count = 2};
    return true;
}

bool read_operand(struct reader *reader, struct ptx_operand *operand, bool is_call)
{
    if (++reader->depth > MAX_OPERAND_DEPTH)
        fail_at(reader, &reader->token, "operands are nested more than %d deep", MAX_OPERAND_DEPTH);
    bool is_read = !reader_failed(reader) && read_simple(reader, operand, is_call);
    if (is_read && is_punct(reader, '|'))
        is_read = read_second(reader, operand);
    reader->depth--;
    return is_read && !reader_failed(reader);
}
