/* lexer.c - PTX text cut into tokens, one at a time.
 * Every read is preceded by a comparison with end; line and column are those of the token's first character.
 * Numbers are converted here; what a word means is decided by the parser. */
#include "ptx/lexer.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_START = 1, NAME_PART = 2, DIGIT = 4, HEX = 8, BLANK = 16, DOUBLE = 32 };

#define LETTERS(first, last) [first... last]

static const uint8_t classes[256] = {
    LETTERS('g', 'z') = NAME_START | NAME_PART,
    LETTERS('G', 'Z') = NAME_START | NAME_PART,
    LETTERS('a', 'f') = NAME_START | NAME_PART | HEX,
    LETTERS('A', 'F') = NAME_START | NAME_PART | HEX,
    LETTERS('0', '9') = NAME_PART | DIGIT | HEX,
    ['_'] = NAME_START | NAME_PART,
    ['$'] = NAME_START | NAME_PART,
    ['%'] = NAME_START,
    ['<'] = DOUBLE,
    ['>'] = DOUBLE,
    ['='] = DOUBLE,
    ['&'] = DOUBLE,
    ['|'] = DOUBLE,
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\r'] = BLANK,
    ['\v'] = BLANK,
    ['\f'] = BLANK,
};

static bool is_class(char c, int mask)
{
    return classes[(uint8_t)c] & mask;
}

void lex_fail(struct lexer *lexer, uint32_t line, uint32_t column, const char *format, ...)
{
    if (lexer->failed)
        return;
    lexer->failed = true;
    lexer->error->line = line;
    lexer->error->column = column;
    va_list args;
    va_start(args, format);
    vsnprintf(lexer->error->text, sizeof lexer->error->text, format, args);
    va_end(args);
}

void lex_start(struct lexer *lexer, const char *text, size_t size, struct ptx_error *error)
{
    *lexer = (struct lexer){.pos = text, .end = text + size, .line_start = text, .line = 1, .error = error};
}

static uint32_t column_of(const struct lexer *lexer, const char *pos)
{
    return (uint32_t)(pos - lexer->line_start) + 1;
}

static void fail_here(struct lexer *lexer, const char *sentence)
{
    lex_fail(lexer, lexer->line, column_of(lexer, lexer->pos), "%s", sentence);
}

static void new_line(struct lexer *lexer)
{
    lexer->pos++;
    lexer->line++;
    lexer->line_start = lexer->pos;
}

static void skip_line(struct lexer *lexer)
{
    const char *newline = memchr(lexer->pos, '\n', (size_t)(lexer->end - lexer->pos));
    lexer->pos = newline ? newline : lexer->end;
}

static void skip_comment(struct lexer *lexer)
{
    uint32_t line = lexer->line, column = column_of(lexer, lexer->pos);
    lexer->pos += 2;
    while (lexer->pos < lexer->end) {
        if (*lexer->pos == '\n') {
            new_line(lexer);
        } else if (*lexer->pos == '*' && lexer->end - lexer->pos > 1 && lexer->pos[1] == '/') {
            lexer->pos += 2;
            return;
        } else {
            lexer->pos++;
        }
    }
    lex_fail(lexer, line, column, "the comment that begins here has no end: expected */");
}

static void skip_blanks(struct lexer *lexer)
{
    while (lexer->pos < lexer->end) {
        char c = *lexer->pos;
        bool has_next = lexer->end - lexer->pos > 1;
        if (is_class(c, BLANK))
            lexer->pos++;
        else if (c == '\n')
            new_line(lexer);
        else if (c == '/' && has_next && lexer->pos[1] == '/')
            skip_line(lexer);
        else if (c == '/' && has_next && lexer->pos[1] == '*')
            skip_comment(lexer);
        else if (c == '#' && lexer->pos == lexer->line_start)
            skip_line(lexer); /* a preprocessor's line marker */
        else
            return;
    }
}

static void read_name(struct lexer *lexer, struct token *token)
{
    const char *pos = lexer->pos;
    uint32_t hash = hash_byte(HASH_START, (uint8_t)*pos++);
    token->stem_hash = hash;
    token->digits = 0;
    for (; pos < lexer->end && is_class(*pos, NAME_PART); pos++) {
        hash = hash_byte(hash, (uint8_t)*pos);
        if (is_class(*pos, DIGIT)) {
            token->digits++;
        } else {
            token->digits = 0;
            token->stem_hash = hash;
        }
    }
    token->kind = TOKEN_NAME;
    token->hash = hash;
    token->size = (size_t)(pos - token->text);
    if (token->size > LEX_NAME_LIMIT)
        fail_here(lexer, "this name is longer than 65535 characters");
    lexer->pos = pos;
}

static void read_directive(struct lexer *lexer, struct token *token)
{
    const char *pos = lexer->pos + 1;
    for (; pos < lexer->end; pos++) {
        if (*pos == ':' && lexer->end - pos > 2 && pos[1] == ':' && is_class(pos[2], NAME_PART))
            pos++;
        else if (!is_class(*pos, NAME_PART))
            break;
    }
    token->kind = TOKEN_DIRECTIVE;
    token->size = (size_t)(pos - token->text);
    lexer->pos = pos;
}

size_t lex_tail(struct lexer *lexer)
{
    const char *start = lexer->pos, *pos = start;
    while (lexer->end - pos > 1 && *pos == '.' && is_class(pos[1], NAME_PART)) {
        for (pos++; pos < lexer->end; pos++) {
            if (*pos == ':' && lexer->end - pos > 2 && pos[1] == ':' && is_class(pos[2], NAME_PART))
                pos++;
            else if (!is_class(*pos, NAME_PART))
                break;
        }
    }
    if (pos - start > LEX_NAME_LIMIT)
        fail_here(lexer, "this name is longer than 65535 characters");
    lexer->pos = pos;
    return (size_t)(pos - start);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 0x20) - 'a' + 10;
}

/* Digits of one base up to the first character that cannot belong to a number. */
static const char *read_digits(struct lexer *lexer, const char *pos, unsigned base, uint64_t *value)
{
    const char *start = pos;
    uint64_t sum = 0;
    for (; pos < lexer->end && is_class(*pos, HEX); pos++) {
        unsigned digit = (unsigned)digit_value(*pos);
        if (digit >= base)
            break;
        if (sum > (UINT64_MAX - digit) / base) {
            fail_here(lexer, "this integer does not fit into 64 bits");
            return pos;
        }
        sum = sum * base + digit;
    }
    if (pos == start)
        fail_here(lexer, "this number has no digits");
    *value = sum;
    return pos;
}

/* 0f and 0d literals give the bits themselves: exactly 8 or 16 hexadecimal digits. */
static const char *read_float_bits(struct lexer *lexer, struct token *token, int ndigits)
{
    const char *pos = lexer->pos + 2;
    for (int i = 0; i < ndigits; i++, pos++) {
        if (pos >= lexer->end || !is_class(*pos, HEX)) {
            lex_fail(lexer, token->line, token->column,
                     "a floating-point literal needs %d hexadecimal digits", ndigits);
            return pos;
        }
        token->bits = token->bits << 4 | (unsigned)digit_value(*pos);
    }
    token->kind = ndigits == 8 ? TOKEN_F32 : TOKEN_F64;
    return pos;
}

static const char *skip_decimal_digits(const struct lexer *lexer, const char *pos)
{
    while (pos < lexer->end && is_class(*pos, DIGIT))
        pos++;
    return pos;
}

/* Where a decimal floating-point literal would end; pos itself if these digits are an integer. */
static const char *decimal_end(const struct lexer *lexer, const char *digits_end)
{
    const char *pos = digits_end;
    if (pos < lexer->end && *pos == '.')
        pos = skip_decimal_digits(lexer, pos + 1);
    if (pos < lexer->end && (*pos | 0x20) == 'e') {
        const char *exponent = pos + 1;
        if (exponent < lexer->end && (*exponent == '+' || *exponent == '-'))
            exponent++;
        const char *end = skip_decimal_digits(lexer, exponent);
        if (end > exponent)
            pos = end;
    }
    return pos;
}

static const char *read_decimal(struct lexer *lexer, struct token *token, const char *end)
{
    char text[128];
    size_t size = (size_t)(end - lexer->pos);
    if (size >= sizeof text) {
        fail_here(lexer, "this floating-point literal is longer than 127 characters");
        return end;
    }
    memcpy(text, lexer->pos, size);
    text[size] = 0;
    double value = strtod(text, NULL);
    memcpy(&token->bits, &value, sizeof value);
    token->kind = TOKEN_F64;
    return end;
}

static const char *read_integer(struct lexer *lexer, struct token *token)
{
    const char *pos = lexer->pos;
    char second = lexer->end - pos > 1 ? (char)(pos[1] | 0x20) : 0;
    bool is_zero = *pos == '0';
    token->kind = TOKEN_INT;
    if (is_zero && second == 'x')
        pos = read_digits(lexer, pos + 2, 16, &token->bits);
    else if (is_zero && second == 'b')
        pos = read_digits(lexer, pos + 2, 2, &token->bits);
    else
        pos = read_digits(lexer, pos, is_zero ? 8 : 10, &token->bits);
    token->is_unsigned = token->bits > INT64_MAX;
    if (pos < lexer->end && (*pos | 0x20) == 'u') {
        token->is_unsigned = true;
        pos++;
    }
    return pos;
}

static void read_number(struct lexer *lexer, struct token *token)
{
    const char *pos = lexer->pos, *digits = skip_decimal_digits(lexer, pos), *end;
    char second = lexer->end - pos > 1 ? (char)(pos[1] | 0x20) : 0;
    if (*pos == '0' && (second == 'f' || second == 'd'))
        end = read_float_bits(lexer, token, second == 'f' ? 8 : 16);
    else if (!(*pos == '0' && second == 'x') && decimal_end(lexer, digits) > digits)
        end = read_decimal(lexer, token, decimal_end(lexer, digits));
    else
        end = read_integer(lexer, token);
    if (end < lexer->end && is_class(*end, NAME_PART))
        lex_fail(lexer, token->line, token->column, "a number runs into '%c'", *end);
    token->size = (size_t)(end - lexer->pos);
    lexer->pos = end;
}

static void read_string(struct lexer *lexer, struct token *token)
{
    const char *pos = lexer->pos + 1;
    while (pos < lexer->end && *pos != '"' && *pos != '\n')
        pos += *pos == '\\' && lexer->end - pos > 1 && pos[1] != '\n' ? 2 : 1;
    if (pos >= lexer->end || *pos == '\n') {
        fail_here(lexer, "the string that begins here has no end: expected \"");
        pos = pos > lexer->end ? lexer->end : pos;
    }
    token->kind = TOKEN_STRING;
    token->text = lexer->pos + 1;
    token->size = (size_t)(pos - token->text);
    lexer->pos = pos < lexer->end ? pos + 1 : lexer->end;
}

/* 'x' and '\n': an integer. */
static void read_character(struct lexer *lexer, struct token *token)
{
    static const char escapes[][2] = {{'n', '\n'},  {'t', '\t'}, {'r', '\r'}, {'0', 0},   {'\\', '\\'},
                                      {'\'', '\''}, {'"', '"'},  {'a', '\a'}, {'b', '\b'}};
    const char *pos = lexer->pos + 1;
    if (lexer->end - pos > 2 && *pos == '\\') {
        pos++;
        token->bits = (uint8_t)*pos;
        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
            if (*pos == escapes[i][0])
                token->bits = (uint8_t)escapes[i][1];
    } else if (pos < lexer->end) {
        token->bits = (uint8_t)*pos;
    }
    if (lexer->end - pos < 2 || pos[1] != '\'' || *pos == '\n') {
        fail_here(lexer, "the character constant that begins here has no end: expected '");
        return;
    }
    token->kind = TOKEN_INT;
    token->size = (size_t)(pos + 2 - lexer->pos);
    lexer->pos = pos + 2;
}

static void read_punct(struct lexer *lexer, struct token *token)
{
    static const char doubles[][2] = {{'<', '<'}, {'>', '>'}, {'<', '='}, {'>', '='},
                                      {'=', '='}, {'!', '='}, {'&', '&'}, {'|', '|'}};
    static const char single[] = "{}()[]<>,;:@!|&^~+-*/%?=.";
    char c = *lexer->pos;
    if (!memchr(single, c, sizeof single - 1)) {
        lex_fail(lexer, token->line, token->column,
                 "the byte 0x%02x cannot stand here: no PTX begins with it", (uint8_t)c);
        return;
    }
    token->kind = TOKEN_PUNCT;
    token->punct = (uint8_t)c;
    token->size = 1;
    if (lexer->end - lexer->pos > 1 && is_class(lexer->pos[1], DOUBLE))
        for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++)
            if (c == doubles[i][0] && lexer->pos[1] == doubles[i][1]) {
                token->punct = PUNCT2(c, lexer->pos[1]);
                token->size = 2;
            }
    lexer->pos += token->size;
}

static void read_token(struct lexer *lexer, struct token *token)
{
    char c = *lexer->pos, next = lexer->end - lexer->pos > 1 ? lexer->pos[1] : 0;
    if (is_class(c, NAME_START) && (c != '%' || is_class(next, NAME_PART)))
        read_name(lexer, token);
    else if (is_class(c, DIGIT) || (c == '.' && is_class(next, DIGIT)))
        read_number(lexer, token);
    else if (c == '.' && is_class(next, NAME_START))
        read_directive(lexer, token);
    else if (c == '"')
        read_string(lexer, token);
    else if (c == '\'')
        read_character(lexer, token);
    else
        read_punct(lexer, token);
}

void lex_next(struct lexer *lexer, struct token *token)
{
    skip_blanks(lexer);
    token->kind = TOKEN_END;
    token->punct = 0;
    token->bits = 0;
    token->is_unsigned = false;
    token->text = lexer->pos;
    token->size = 0;
    token->line = lexer->line;
    token->column = column_of(lexer, lexer->pos);
    if (lexer->pos < lexer->end && !lexer->failed)
        read_token(lexer, token);
    if (lexer->failed) {
        token->kind = TOKEN_END;
        lexer->pos = lexer->end;
    }
}

bool lex_skip_block(struct lexer *lexer)
{
    while (lexer->pos < lexer->end) {
        if (*lexer->pos == '\n')
            new_line(lexer);
        else if (*lexer->pos++ == '}')
            return true;
    }
    return false;
}
