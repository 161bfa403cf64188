/* constant.c - constant expressions: 64-bit integers, signed or unsigned, and floating-point numbers.
 * Values are those of ptxas: shift counts are taken modulo 64, % is unsigned, division by zero is an error.
 * Addresses of symbols are no constants: initialisers and operands handle them. */
#include "ptx/reader.h"

#include <string.h>

enum level {
    LEVEL_OR_OR = 1,
    LEVEL_AND_AND,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_EQUAL,
    LEVEL_COMPARE,
    LEVEL_SHIFT,
    LEVEL_ADD,
    LEVEL_MULTIPLY
};

static const uint8_t single_levels[128] = {
    ['|'] = LEVEL_OR,       ['^'] = LEVEL_XOR,      ['&'] = LEVEL_AND, ['<'] = LEVEL_COMPARE,
    ['>'] = LEVEL_COMPARE,  ['+'] = LEVEL_ADD,      ['-'] = LEVEL_ADD, ['*'] = LEVEL_MULTIPLY,
    ['/'] = LEVEL_MULTIPLY, ['%'] = LEVEL_MULTIPLY,
};

static const struct {
    int punct;
    enum level level;
} double_levels[] = {
    {PUNCT2('|', '|'), LEVEL_OR_OR}, {PUNCT2('&', '&'), LEVEL_AND_AND}, {PUNCT2('=', '='), LEVEL_EQUAL},
    {PUNCT2('!', '='), LEVEL_EQUAL}, {PUNCT2('<', '='), LEVEL_COMPARE}, {PUNCT2('>', '='), LEVEL_COMPARE},
    {PUNCT2('<', '<'), LEVEL_SHIFT}, {PUNCT2('>', '>'), LEVEL_SHIFT},
};

static bool read_level(struct reader *reader, enum level lowest, struct constant *value);

bool is_constant_start(const struct token *token)
{
    if (token->kind == TOKEN_PUNCT)
        return token->punct == '-' || token->punct == '+' || token->punct == '~' || token->punct == '!' ||
               token->punct == '(';
    return token->kind == TOKEN_INT || token->kind == TOKEN_F32 || token->kind == TOKEN_F64 ||
           token_is(token, "WARP_SZ");
}

double constant_number(const struct constant *value)
{
    double number;
    float single;
    uint32_t low = (uint32_t)value->bits;
    if (value->kind == TOKEN_F64) {
        memcpy(&number, &value->bits, sizeof number);
        return number;
    }
    if (value->kind == TOKEN_F32) {
        memcpy(&single, &low, sizeof single);
        return single;
    }
    return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
}

static void set_number(struct constant *value, double number)
{
    *value = (struct constant){.kind = TOKEN_F64};
    memcpy(&value->bits, &number, sizeof number);
}

static bool is_true(const struct constant *value)
{
    return value->kind == TOKEN_INT ? value->bits != 0 : constant_number(value) != 0;
}

static void apply_unary(struct reader *reader, const struct token *operator, struct constant * value)
{
    bool is_int = value->kind == TOKEN_INT;
    if (operator->punct == '-' && is_int)
        value->bits = 0 - value->bits;
    else if (operator->punct == '-')
        value->bits ^= value->kind == TOKEN_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    else if (operator->punct == '!')
        *value = (struct constant){.kind = TOKEN_INT, .bits = !is_true(value)};
    else if (operator->punct == '~' && is_int)
        value->bits = ~value->bits;
    else if (operator->punct == '~')
        fail_at(reader, operator, "~ needs an integer");
}

/* After '(': a cast or an expression in parentheses. */
static bool read_parenthesis(struct reader *reader, struct constant *value)
{
    bool to_unsigned = is_directive(reader, ".u64"), to_signed = is_directive(reader, ".s64");
    if (to_unsigned || to_signed) {
        reader_next(reader);
        if (!expect_punct(reader, ')', "after a cast") || !read_level(reader, LEVEL_MULTIPLY + 1, value))
            return false;
        if (value->kind != TOKEN_INT)
            fail_at(reader, &reader->token, "a cast to .s64 or .u64 needs an integer");
        value->is_unsigned = to_unsigned;
        return true;
    }
    return read_constant(reader, value) && expect_punct(reader, ')', "after an expression");
}

static bool read_primary(struct reader *reader, struct constant *value)
{
    struct token token = reader->token;
    if (token_is(&token, "WARP_SZ")) {
        *value = (struct constant){.kind = TOKEN_INT, .bits = 32};
    } else if (token.kind == TOKEN_INT || token.kind == TOKEN_F32 || token.kind == TOKEN_F64) {
        *value = (struct constant){.kind = token.kind, .is_unsigned = token.is_unsigned, .bits = token.bits};
    } else if (is_punct(reader, '(')) {
        reader_next(reader);
        return read_parenthesis(reader, value);
    } else {
        fail_expected(reader, "a constant");
        return false;
    }
    reader_next(reader);
    return !reader_failed(reader);
}

static bool read_unary(struct reader *reader, struct constant *value)
{
    struct token operator= reader->token;
    if (operator.kind != TOKEN_PUNCT || operator.punct == '(' || !is_constant_start(&operator))
        return read_primary(reader, value);
    if (++reader->depth > MAX_EXPRESSION_DEPTH)
        fail_at(reader, &operator, "this expression is nested more than %d deep", MAX_EXPRESSION_DEPTH);
    reader_next(reader);
    bool is_read = !reader_failed(reader) && read_unary(reader, value);
    reader->depth--;
    if (is_read)
        apply_unary(reader, &operator, value);
    return is_read && !reader_failed(reader);
}

static uint64_t shift_right(uint64_t bits, uint64_t count, bool is_unsigned)
{
    return is_unsigned ? bits >> (count & 63) : (uint64_t)((int64_t)bits >> (count & 63));
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned)
{
    if (is_unsigned)
        return a / b;
    if (b == UINT64_MAX) /* INT64_MIN / -1 would trap */
        return 0 - a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t integer_result(int punct, uint64_t a, uint64_t b, bool is_unsigned, bool shifts_zeros)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (punct) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return divide(a, b, is_unsigned);
    case '%':
        return a % b;
    case '&':
        return a & b;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case PUNCT2('<', '='):
        return less || a == b;
    case PUNCT2('>', '='):
        return !less;
    case PUNCT2('=', '='):
        return a == b;
    case PUNCT2('!', '='):
        return a != b;
    case PUNCT2('<', '<'):
        return a << (b & 63);
    case PUNCT2('>', '>'):
        return shift_right(a, b, shifts_zeros);
    case PUNCT2('&', '&'):
        return a && b;
    default:
        return a || b;
    }
}

static void apply_to_floats(struct reader *reader, const struct token *operator, struct constant * value,
                            const struct constant *right)
{
    double a = constant_number(value), b = constant_number(right);
    bool truth = false;
    switch (operator->punct) {
    case '+':
        set_number(value, a + b);
        return;
    case '-':
        set_number(value, a - b);
        return;
    case '*':
        set_number(value, a * b);
        return;
    case '/':
        set_number(value, b == 0 ? 0 : a / b);
        return;
    case '<':
        truth = a < b;
        break;
    case '>':
        truth = a > b;
        break;
    case PUNCT2('<', '='):
        truth = a <= b;
        break;
    case PUNCT2('>', '='):
        truth = a >= b;
        break;
    case PUNCT2('=', '='):
        truth = a == b;
        break;
    case PUNCT2('!', '='):
        truth = a != b;
        break;
    case PUNCT2('&', '&'):
        truth = a != 0 && b != 0;
        break;
    case PUNCT2('|', '|'):
        truth = a != 0 || b != 0;
        break;
    default:
        fail_at(reader, operator, "this operator needs integers");
        return;
    }
    *value = (struct constant){.kind = TOKEN_INT, .bits = truth};
}

static void apply_binary(struct reader *reader, const struct token *operator, enum level level,
                         struct constant *value, const struct constant *right)
{
    bool divides = operator->punct == '/' || operator->punct == '%';
    if (divides && !is_true(right)) {
        fail_at(reader, operator, "this expression divides by zero");
        return;
    }
    if (value->kind != TOKEN_INT || right->kind != TOKEN_INT) {
        apply_to_floats(reader, operator, value, right);
        return;
    }
    bool is_unsigned = value->is_unsigned || right->is_unsigned;
    value->bits = integer_result(operator->punct, value->bits, right->bits, is_unsigned, value->is_unsigned);
    if (level == LEVEL_COMPARE || level == LEVEL_EQUAL || level <= LEVEL_AND_AND)
        value->is_unsigned = false;
    else if (level != LEVEL_SHIFT)
        value->is_unsigned = is_unsigned;
}

static enum level level_of(const struct token *token)
{
    if (token->kind != TOKEN_PUNCT)
        return 0;
    if (token->punct < 128)
        return single_levels[token->punct];
    for (size_t i = 0; i < sizeof double_levels / sizeof double_levels[0]; i++)
        if (double_levels[i].punct == token->punct)
            return double_levels[i].level;
    return 0;
}

static bool read_level(struct reader *reader, enum level lowest, struct constant *value)
{
    if (++reader->depth > MAX_EXPRESSION_DEPTH)
        fail_at(reader, &reader->token, "this expression is nested more than %d deep", MAX_EXPRESSION_DEPTH);
    bool is_read = !reader_failed(reader) && read_unary(reader, value);
    while (is_read) {
        struct token operator= reader->token;
        enum level level = level_of(&operator);
        if (!level || level < lowest)
            break;
        struct constant right;
        reader_next(reader);
        is_read = read_level(reader, level + 1, &right);
        if (is_read)
            apply_binary(reader, &operator, level, value, &right);
    }
    reader->depth--;
    return is_read && !reader_failed(reader);
}

bool read_constant(struct reader *reader, struct constant *value)
{
    struct constant yes, no;
    if (!read_level(reader, LEVEL_OR_OR, value))
        return false;
    if (!is_punct(reader, '?'))
        return true;
    if (++reader->depth > MAX_EXPRESSION_DEPTH)
        fail_at(reader, &reader->token, "this expression is nested more than %d deep", MAX_EXPRESSION_DEPTH);
    reader_next(reader);
    bool is_read =
        read_constant(reader, &yes) && expect_punct(reader, ':', "in ?:") && read_constant(reader, &no);
    reader->depth--;
    if (is_read)
        *value = is_true(value) ? yes : no;
    return is_read;
}

bool read_unsigned(struct reader *reader, const char *what, uint64_t limit, uint64_t *value)
{
    struct token start = reader->token;
    struct constant constant;
    if (!is_constant_start(&start)) {
        fail_expected(reader, what);
        return false;
    }
    if (!read_constant(reader, &constant))
        return false;
    if (constant.kind != TOKEN_INT || constant.bits > limit) {
        fail_at(reader, &start, "%s must be an integer from 0 to %llu", what, (unsigned long long)limit);
        return false;
    }
    *value = constant.bits;
    return true;
}

bool read_offset(struct reader *reader, int64_t *offset)
{
    uint64_t sum = (uint64_t)*offset;
    while (is_punct(reader, '+') || is_punct(reader, '-')) {
        bool subtracts = is_punct(reader, '-');
        struct token start = reader->token;
        struct constant term;
        reader_next(reader);
        if (!is_constant_start(&reader->token)) {
            fail_expected(reader, "a constant offset");
            return false;
        }
        if (!read_level(reader, LEVEL_MULTIPLY, &term)) /* binds tighter than + and - */
            return false;
        if (term.kind != TOKEN_INT) {
            fail_at(reader, &start, "an offset must be an integer");
            return false;
        }
        sum += subtracts ? 0 - term.bits : term.bits;
    }
    *offset = (int64_t)sum;
    return true;
}
