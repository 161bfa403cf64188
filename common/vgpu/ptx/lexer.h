/* lexer.h - PTX text cut into tokens, one at a time.
 * The text has no terminator: nothing reads at or past end. After an error every further token is TOKEN_END.
 * Tokens know nothing of directives or opcodes; names keep their hash so that lookups need not recompute it. */
#ifndef VGPU_PTX_LEX_H
#define VGPU_PTX_LEX_H

#include <string.h>

#include "ptx/ptx.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      /* %r1, foo, $L__BB0_1, _ */
    TOKEN_DIRECTIVE, /* .reg, .shared::cta */
    TOKEN_INT,       /* bits, is_unsigned */
    TOKEN_F32,       /* bits: 0fXXXXXXXX */
    TOKEN_F64,       /* bits: 0dX..., or decimal */
    TOKEN_STRING,    /* text without its quotes, escapes as written */
    TOKEN_PUNCT      /* punct: a character, or two of them as PUNCT2('<', '<') */
};

#define PUNCT2(first, second) ((first) | (second) << 8)

struct token {
    enum token_kind kind;
    int punct;
    bool is_unsigned;
    const char *text;
    size_t size;
    uint32_t line, column;
    uint64_t bits;
    uint32_t hash;      /* of a name */
    uint32_t stem_hash; /* of a name without its trailing digits */
    uint32_t digits;    /* how many trailing digits a name has */
};

struct lexer {
    const char *pos, *end;
    const char *line_start;
    uint32_t line;
    bool failed;
    struct ptx_error *error;
};

enum { LEX_NAME_LIMIT = 65535 };

void lex_start(struct lexer *lexer, const char *text, size_t size, struct ptx_error *error);
void lex_next(struct lexer *lexer, struct token *token);

/* The dotted tail directly after the last name (".global.nc.v4.f32", ".x"): its length, 0 if there is none. */
size_t lex_tail(struct lexer *lexer);

/* Moves to just after the next '}', whatever stands before it; false if there is none. */
bool lex_skip_block(struct lexer *lexer);

/* Records the first error only. */
void lex_fail(struct lexer *lexer, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True for a name that is exactly this word. */
static inline bool token_is(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && token->size == strlen(word) &&
           !memcmp(token->text, word, token->size);
}

#endif
