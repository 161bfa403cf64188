/* position.c - source positions: .file, .loc, and the names that .debug_str holds for them.
 * Equal positions share one index; an inlined position points at the newest position equal to its call site.
 * Every other DWARF section is skipped unread. */
#include "ptx/reader.h"

#include <string.h>

static bool read_plain(struct reader *reader, const char *what, uint32_t *value)
{
    if (reader->token.kind != TOKEN_INT || reader->token.bits > UINT32_MAX) {
        fail_expected(reader, what);
        return false;
    }
    *value = (uint32_t)reader->token.bits;
    reader_next(reader);
    return true;
}

/* A path as written, its \" and \\ resolved. */
static const char *unescape(struct reader *reader, const struct token *token)
{
    char *copy = reader_alloc(reader, token->size + 1);
    size_t size = 0;
    for (size_t i = 0; copy && i < token->size; i++) {
        char next = i + 1 < token->size ? token->text[i + 1] : 0;
        if (token->text[i] == '\\' && (next == '\\' || next == '"'))
            i++;
        copy[size++] = token->text[i];
    }
    return copy ? copy : "";
}

/* A number means one file: text of a program's own (asm) cannot give another's lines a new name. */
static void name_file(struct reader *reader, uint32_t number)
{
    const char **slot = &((const char **)reader->files.items)[number];
    const char *path = unescape(reader, &reader->token);
    if (**slot && strcmp(*slot, path) != 0)
        fail_at(reader, &reader->token, "file number %u has a name already: \"%s\"", number, *slot);
    else
        *slot = path;
}

/* .file 1 "path", timestamp, size */
void read_file(struct reader *reader)
{
    uint32_t number, ignored;
    if (!read_plain(reader, "the number of a file", &number))
        return;
    if (number > MAX_FILE_NUMBER)
        fail_at(reader, &reader->token, "file number %u is above %d", number, MAX_FILE_NUMBER);
    if (reader->token.kind != TOKEN_STRING)
        fail_expected(reader, "the path of the file as a string");
    while (reader->files.count <= number && !reader_failed(reader)) {
        const char **slot = reader_push(reader, &reader->files, sizeof *slot);
        if (slot)
            *slot = "";
    }
    if (reader_failed(reader))
        return;
    if (number)
        name_file(reader, number);
    reader_next(reader);
    while (accept_punct(reader, ','))
        read_plain(reader, "a number", &ignored);
}

static uint32_t bucket_of(const struct ptx_loc *loc)
{
    const uint64_t place = (uint64_t)loc->line << 32 | (loc->file << 16 ^ loc->column);
    return (uint32_t)(hash_word(place) >> (64 - LOC_BUCKET_BITS));
}

static bool is_same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static uint32_t find_loc(const struct reader *reader, const struct ptx_loc *loc)
{
    const struct ptx_loc *locs = reader->locs.items;
    const struct loc_extra *extras = reader->loc_extras.items;
    for (uint32_t i = reader->loc_buckets[bucket_of(loc)]; i; i = extras[i - 1].next)
        if (is_same_place(&locs[i - 1], loc))
            return i - 1;
    return 0;
}

static bool is_same_function(const struct loc_extra *a, const struct loc_extra *b)
{
    return a->function_size == b->function_size && a->function_offset == b->function_offset &&
           (!a->function_size || !memcmp(a->function, b->function, a->function_size));
}

static uint32_t add_loc(struct reader *reader, const struct ptx_loc *loc, const struct loc_extra *extra)
{
    uint32_t newest = find_loc(reader, loc);
    if (newest) {
        const struct ptx_loc *old = &((struct ptx_loc *)reader->locs.items)[newest];
        const struct loc_extra *old_extra = &((struct loc_extra *)reader->loc_extras.items)[newest];
        if (old->inlined_at == loc->inlined_at && is_same_function(old_extra, extra))
            return newest;
    }
    struct ptx_loc *slot = reader_push(reader, &reader->locs, sizeof *slot);
    struct loc_extra *extra_slot = reader_push(reader, &reader->loc_extras, sizeof *extra_slot);
    if (!slot || !extra_slot)
        return 0;
    *slot = *loc;
    *extra_slot = *extra;
    extra_slot->next = reader->loc_buckets[bucket_of(loc)];
    reader->loc_buckets[bucket_of(loc)] = (uint32_t)reader->locs.count;
    return (uint32_t)reader->locs.count - 1;
}

static bool read_place(struct reader *reader, struct ptx_loc *loc)
{
    return read_plain(reader, "the number of a file", &loc->file) &&
           read_plain(reader, "a line", &loc->line) && read_plain(reader, "a column", &loc->column);
}

static bool accept_word(struct reader *reader, const char *word)
{
    if (!token_is(&reader->token, word))
        return false;
    reader_next(reader);
    return true;
}

/* A label in .debug_str, or the section's own name; + offset. */
static void read_function_name(struct reader *reader, struct loc_extra *extra)
{
    const struct token *token = &reader->token;
    if (token->kind != TOKEN_NAME && token->kind != TOKEN_DIRECTIVE) {
        fail_expected(reader, "a label after function_name");
        return;
    }
    extra->function = token->text;
    extra->function_size = (uint32_t)token->size;
    extra->function_hash = hash_text(token->text, token->size);
    reader_next(reader);
    if (accept_punct(reader, '+')) {
        if (reader->token.kind == TOKEN_INT)
            extra->function_offset = reader->token.bits;
        else
            fail_expected(reader, "an offset");
        reader_next(reader);
    }
}

static void read_inlined_at(struct reader *reader, struct ptx_loc *loc)
{
    struct ptx_loc site = {0};
    struct loc_extra none = {0};
    if (!read_place(reader, &site))
        return;
    loc->inlined_at = find_loc(reader, &site);
    if (!loc->inlined_at && site.line)
        loc->inlined_at = add_loc(reader, &site, &none);
}

/* .loc file line column, function_name label, inlined_at file line column. Line 0 keeps the position. */
void read_loc(struct reader *reader)
{
    struct ptx_loc loc = {0};
    struct loc_extra extra = {0};
    if (!read_place(reader, &loc))
        return;
    while (accept_punct(reader, ',')) {
        if (accept_word(reader, "function_name"))
            read_function_name(reader, &extra);
        else if (accept_word(reader, "inlined_at"))
            read_inlined_at(reader, &loc);
        else
            fail_expected(reader, "function_name or inlined_at");
    }
    if (loc.line && !reader_failed(reader))
        reader->loc = add_loc(reader, &loc, &extra);
}

static void add_string_label(struct reader *reader, const struct token *token)
{
    struct name *name = names_add(&reader->strings, token->text, token->size, token->hash, NAME_LABEL, 0);
    if (name)
        name->index = (uint32_t)reader->debug_strings.count;
    else
        fail_memory(reader);
}

static void read_string_bytes(struct reader *reader)
{
    do {
        if (reader->token.kind != TOKEN_INT) {
            fail_expected(reader, "a byte");
            return;
        }
        char *byte = reader_push(reader, &reader->debug_strings, 1);
        if (byte)
            *byte = (char)reader->token.bits;
        reader_next(reader);
    } while (accept_punct(reader, ','));
}

/* Labels and .b8 lines. */
static void read_strings(struct reader *reader)
{
    reader_next(reader);
    while (!is_punct(reader, '}') && !reader_failed(reader)) {
        struct token token = reader->token;
        reader_next(reader);
        if (token.kind == TOKEN_NAME && accept_punct(reader, ':'))
            add_string_label(reader, &token);
        else if (token.kind == TOKEN_DIRECTIVE && token.size == 3 && !memcmp(token.text, ".b8", 3))
            read_string_bytes(reader);
        else
            fail_at(reader, &token, "expected a label, .b8 or '}' in .debug_str");
    }
    reader_next(reader);
}

void read_section(struct reader *reader)
{
    bool is_strings = is_directive(reader, ".debug_str");
    if (reader->token.kind != TOKEN_DIRECTIVE && reader->token.kind != TOKEN_NAME)
        fail_expected(reader, "the name of a section");
    reader_next(reader);
    struct token start = reader->token;
    if (!is_punct(reader, '{')) {
        fail_expected(reader, "'{' after the name of a section");
    } else if (is_strings) {
        read_strings(reader);
    } else if (lex_skip_block(&reader->lexer)) {
        reader_next(reader);
    } else {
        fail_at(reader, &start, "the section that begins here has no end: expected '}'");
    }
}

static const char *string_at(struct reader *reader, const struct loc_extra *extra)
{
    bool is_section = extra->function_size && *extra->function == '.';
    struct name *label =
        names_find(&reader->strings, extra->function, extra->function_size, extra->function_hash, false);
    if (!extra->function_size || (!label && !is_section))
        return NULL;
    uint64_t start = (label ? label->index : 0) + extra->function_offset;
    size_t size = reader->debug_strings.count;
    const char *text = reader->debug_strings.items;
    if (start >= size || extra->function_offset > size)
        return NULL;
    const char *end = memchr(text + start, 0, size - start);
    size_t length = end ? (size_t)(end - text) - start : size - start;
    return length ? reader_text(reader, text + start, length, hash_text(text + start, length)) : NULL;
}

/* .file and .debug_str may stand after the functions that use them: they are applied last. */
void finish_positions(struct reader *reader)
{
    struct ptx_module *module = reader->module;
    struct ptx_loc *locs = reader->locs.items;
    const struct loc_extra *extras = reader->loc_extras.items;
    for (size_t i = 1; i < reader->locs.count; i++) {
        if (locs[i].file >= reader->files.count)
            locs[i].file = 0;
        locs[i].function = string_at(reader, &extras[i]);
    }
    module->files = reader_keep(reader, &reader->files, 0, sizeof *module->files);
    module->nfiles = reader->files.count;
    module->locs = reader_keep(reader, &reader->locs, 0, sizeof *module->locs);
    module->nlocs = reader->locs.count;
}
