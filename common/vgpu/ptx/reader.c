/* reader.c - the floor that the parser stands on: the current token, the first error, memory, strings kept once.
 * After a failure the current token is TOKEN_END for ever, so that loops over tokens end by themselves.
 * It knows tokens only: what they mean together is the business of the files above. */
#include "ptx/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- tokens */

void reader_next(struct reader *reader)
{
    lex_next(&reader->lexer, &reader->token);
}

struct token peek_token(const struct reader *reader)
{
    struct lexer lexer = reader->lexer;
    struct ptx_error ignored;
    struct token token;
    lexer.error = &ignored;
    lex_next(&lexer, &token);
    return token;
}

bool reader_failed(const struct reader *reader)
{
    return reader->lexer.failed;
}

static void stop(struct reader *reader)
{
    reader->token.kind = TOKEN_END;
    reader->lexer.pos = reader->lexer.end;
}

void fail_at(struct reader *reader, const struct token *token, const char *format, ...)
{
    char text[sizeof reader->lexer.error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lex_fail(&reader->lexer, token->line, token->column, "%s", text);
    stop(reader);
}

void fail_memory(struct reader *reader)
{
    fail_at(reader, &reader->token, "not enough memory for this module");
}

const char *token_words(const struct token *token, char *buffer, size_t size)
{
    if (token->kind == TOKEN_END)
        return "the end of the text";
    size_t shown = token->size < size - 6 ? token->size : size - 6, used = 0;
    buffer[used++] = '\'';
    for (size_t i = 0; i < shown; i++)
        buffer[used++] = token->text[i] >= ' ' && token->text[i] <= '~' ? token->text[i] : '?';
    snprintf(buffer + used, size - used, shown < token->size ? "...'" : "'");
    return buffer;
}

void fail_expected(struct reader *reader, const char *expected)
{
    char words[64];
    fail_at(reader, &reader->token, "found %s, expected %s", token_words(&reader->token, words, sizeof words),
            expected);
}

bool is_punct(const struct reader *reader, int punct)
{
    return reader->token.kind == TOKEN_PUNCT && reader->token.punct == punct;
}

bool accept_punct(struct reader *reader, int punct)
{
    if (!is_punct(reader, punct))
        return false;
    reader_next(reader);
    return true;
}

bool expect_punct(struct reader *reader, char punct, const char *where)
{
    char expected[96];
    if (accept_punct(reader, punct))
        return !reader_failed(reader);
    snprintf(expected, sizeof expected, "'%c' %s", punct, where);
    fail_expected(reader, expected);
    return false;
}

bool is_directive(const struct reader *reader, const char *directive)
{
    const struct token *token = &reader->token;
    return token->kind == TOKEN_DIRECTIVE && !strncmp(token->text, directive, token->size) &&
           !directive[token->size];
}

bool accept_directive(struct reader *reader, const char *directive)
{
    if (!is_directive(reader, directive))
        return false;
    reader_next(reader);
    return true;
}

void skip_brackets(struct reader *reader, int depth, char open, char close, const char *expected)
{
    do {
        depth += is_punct(reader, open) - is_punct(reader, close);
        if (reader->token.kind == TOKEN_END)
            fail_expected(reader, expected);
        reader_next(reader);
    } while (depth > 0 && !reader_failed(reader));
}

/* ------------------------------------------------------------------------------------------- memory */

void *reader_alloc(struct reader *reader, size_t size)
{
    void *memory = arena_alloc(reader->arena, size);
    if (!memory)
        fail_memory(reader);
    return memory;
}

void *reader_push(struct reader *reader, struct list *list, size_t item_size)
{
    void *item = list_push(list, item_size);
    if (!item)
        fail_memory(reader);
    return item;
}

void *reader_keep(struct reader *reader, const struct list *list, size_t first, size_t item_size)
{
    if (first >= list->count)
        return NULL;
    size_t size = (list->count - first) * item_size;
    void *copy = reader_alloc(reader, size);
    if (copy)
        memcpy(copy, (char *)list->items + first * item_size, size);
    return copy;
}

const char *reader_text(struct reader *reader, const char *text, size_t size, uint32_t hash)
{
    struct name *name = names_find(&reader->texts, text, size, hash, false);
    if (name)
        return name->item;
    char *copy = arena_copy_text(reader->arena, text, size);
    name = copy ? names_add(&reader->texts, copy, size, hash, NAME_TEXT, 0) : NULL;
    if (!name) {
        fail_memory(reader);
        return "";
    }
    name->item = copy;
    return copy;
}
