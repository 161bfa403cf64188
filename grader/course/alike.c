/* alike.c - tokens of submissions, and which of them are known: see alike.h. */
#include "grader/course/alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ------------------------------------------------------------------------------------------- tokens */

enum { NAME = 256, TEXT, FIRST_WORD };

/* Words that make the shape of a program; all others are names. */
static const char *const shaping[] = {"if",     "else",  "for",    "while", "do",      "return", "switch",
                                      "case",   "break", "struct", "int",   "float",   "double", "void",
                                      "sizeof", "char",  "long",   "goto",  "template"};

static uint16_t kind_of_word(const char *at, size_t length)
{
    for (size_t i = 0; i < sizeof shaping / sizeof *shaping; i++) {
        if (strlen(shaping[i]) == length && strncmp(shaping[i], at, length) == 0)
            return (uint16_t)(FIRST_WORD + i);
    }
    return NAME;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

/* Behind a comment or an #include that begins here; the same place: neither does. */
static const char *skip_comment(const char *at)
{
    const char *end;
    if (strncmp(at, "//", 2) == 0 || strncmp(at, "#include", 8) == 0)
        return at + strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return at;
    end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* A string ends at its quote, or where its line does. */
static size_t length_of_string(const char *at)
{
    size_t i = 1;
    while (at[i] && at[i] != *at && at[i] != '\n')
        i += at[i] == '\\' && at[i + 1] && at[i + 1] != '\n' ? 2 : 1;
    return at[i] == *at ? i + 1 : i;
}

static size_t length_of(const char *at, uint16_t *kind)
{
    size_t length = 0;
    if (*at == '"' || *at == '\'') {
        *kind = TEXT;
        return length_of_string(at);
    }
    while (is_of_word(at[length]))
        length++;
    *kind = length ? kind_of_word(at, length) : (uint16_t)(unsigned char)*at;
    return length ? length : 1;
}

static bool add_token(struct alike_text *text, size_t *room, const char *at, size_t length, uint16_t kind)
{
    if (text->ntokens == *room) {
        *room = *room ? 2 * *room : 1024;
        struct alike_token *tokens = realloc(text->tokens, *room * sizeof *tokens);
        if (!tokens)
            return false;
        text->tokens = tokens;
    }
    text->tokens[text->ntokens++] =
        (struct alike_token){.at = (uint32_t)(at - text->text),
                             .line = (uint32_t)text->nlines,
                             .kind = kind,
                             .length = (uint16_t)(length < 60000 ? length : 60000)};
    return true;
}

/* nlines counts the line breaks so far; in the end it is how many lines there are. */
static bool read_tokens(struct alike_text *text)
{
    size_t room = 0;
    bool is_done = true;
    for (const char *at = text->text; *at && is_done;) {
        uint16_t kind;
        const char *next = skip_comment(at);
        if (next == at && !isspace((unsigned char)*at)) {
            next = at + length_of(at, &kind);
            is_done = text->ntokens == ALIKE_MOST || add_token(text, &room, at, (size_t)(next - at), kind);
        } else if (next == at)
            next++;
        for (; at < next; at++)
            text->nlines += *at == '\n';
    }
    text->nlines++;
    return is_done;
}

/* ------------------------------------------------------------------------------------------- what is known */

static uint64_t gram_at(const struct alike_text *text, size_t token)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = token; i < token + ALIKE_GRAM; i++)
        hash = (hash ^ text->tokens[i].kind) * 0x100000001b3u;
    return hash ? hash : 1;
}

/* How many texts have a row of tokens. */
struct grams {
    struct gram {
        uint64_t hash; /* 0: free */
        uint32_t texts, last;
    } * list;
    size_t mask;
};

static bool make_grams(struct grams *grams, size_t tokens)
{
    size_t size = 1024;
    while (size < 2 * tokens)
        size *= 2;
    grams->list = calloc(size, sizeof *grams->list);
    grams->mask = size - 1;
    return grams->list;
}

static struct gram *find_gram(const struct grams *grams, uint64_t hash)
{
    size_t at = (size_t)(hash ^ hash >> 29) & grams->mask;
    while (grams->list[at].hash && grams->list[at].hash != hash)
        at = (at + 1) & grams->mask;
    return &grams->list[at];
}

/* number: of the text, from 1; 0: each time counts. */
static void count_grams(const struct grams *grams, const struct alike_text *text, uint32_t number)
{
    for (size_t i = 0; i + ALIKE_GRAM <= text->ntokens; i++) {
        struct gram *gram = find_gram(grams, gram_at(text, i));
        gram->hash = gram_at(text, i);
        gram->texts += !number || gram->last != number;
        gram->last = number;
    }
}

/* What more than `most` texts have. */
static void mark(const struct grams *grams, struct alike_text *text, uint32_t most, bool is_obvious)
{
    for (size_t i = 0; i + ALIKE_GRAM <= text->ntokens; i++) {
        if (find_gram(grams, gram_at(text, i))->texts <= most)
            continue;
        for (size_t k = i; k < i + ALIKE_GRAM; k++) {
            text->tokens[k].is_known = text->tokens[k].is_known || !is_obvious;
            text->tokens[k].is_obvious = text->tokens[k].is_obvious || is_obvious;
        }
    }
}

static uint64_t own_digest(const struct alike_text *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text->ntokens; i++) {
        if (!text->tokens[i].is_known)
            hash = (hash ^ text->tokens[i].kind) * 0x100000001b3u;
    }
    return hash;
}

/* How many there are of each kind; those that are there again are marked. */
static size_t mark_again(struct alike_text *texts, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        texts[i].digest = own_digest(&texts[i]);
        for (size_t k = 0; k < i && !texts[i].is_again; k++)
            texts[i].is_again = texts[k].digest == texts[i].digest;
        different += !texts[i].is_again;
    }
    return different;
}

/* What a text of the kit's has as well. */
static bool mark_kit(struct alike_text *texts, size_t count, const char *text, bool is_obvious)
{
    struct alike_text known = {.text = text};
    struct grams grams = {.list = NULL};
    const bool is_done = read_tokens(&known) && make_grams(&grams, known.ntokens);
    if (is_done)
        count_grams(&grams, &known, 1);
    for (size_t i = 0; is_done && i < count; i++)
        mark(&grams, &texts[i], 0, is_obvious);
    free(grams.list);
    alike_free(&known, 1);
    return is_done;
}

/* What a text has over and over. */
static bool mark_repeats(struct alike_text *text)
{
    struct grams grams = {.list = NULL};
    if (!make_grams(&grams, text->ntokens))
        return false;
    count_grams(&grams, text, 0);
    mark(&grams, text, ALIKE_AGAIN, false);
    free(grams.list);
    return true;
}

static bool mark_common(struct alike_text *texts, size_t count)
{
    struct grams grams = {.list = NULL};
    size_t tokens = 0;
    for (size_t i = 0; i < count; i++)
        tokens += texts[i].ntokens;
    if (!make_grams(&grams, tokens))
        return false;
    const size_t part = mark_again(texts, count) / ALIKE_FEW_PART;
    for (size_t i = 0; i < count; i++) {
        if (!texts[i].is_again)
            count_grams(&grams, &texts[i], (uint32_t)i + 1);
    }
    for (size_t i = 0; i < count; i++)
        mark(&grams, &texts[i], (uint32_t)(part > ALIKE_FEW ? part : ALIKE_FEW), false);
    free(grams.list);
    return true;
}

/* ------------------------------------------------------------------------------------------- texts */

static bool count_lines(struct alike_text *text)
{
    text->lines = calloc(text->nlines, sizeof *text->lines);
    if (!text->lines)
        return false;
    for (size_t i = 0; i < text->ntokens; i++) {
        const struct alike_token *token = &text->tokens[i];
        struct alike_line *line = &text->lines[token->line];
        line->is_known = true;
        line->own += !token->is_known;
        line->obvious += !token->is_known && token->is_obvious;
    }
    for (size_t i = 0; i < text->nlines; i++) {
        struct alike_line *line = &text->lines[i];
        line->is_known = line->is_known && !line->own;
        text->own += line->own;
        text->obvious += line->obvious;
    }
    return true;
}

bool alike_read(struct alike_text *texts, size_t count, const char *skeleton)
{
    bool is_done = true;
    for (size_t i = 0; i < count && is_done; i++)
        is_done = read_tokens(&texts[i]) && mark_repeats(&texts[i]);
    is_done = is_done && mark_kit(texts, count, skeleton, false) && mark_common(texts, count);
    for (size_t i = 0; i < count && is_done; i++) {
        if (texts[i].is_solution)
            is_done = mark_kit(texts, count, texts[i].text, true);
    }
    for (size_t i = 0; i < count && is_done; i++)
        is_done = count_lines(&texts[i]);
    return is_done;
}

void alike_free(struct alike_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(texts[i].tokens);
        free(texts[i].lines);
        texts[i] = (struct alike_text){.text = NULL};
    }
}

/* The tool has no use for what a name or a string says. */
static void write_token(const struct alike_text *text, const struct alike_token *token, FILE *file)
{
    const char *at = text->text + token->at;
    if (token->kind == TEXT)
        fputs("\"\"", file);
    else if (token->kind == NAME)
        putc('x', file);
    else
        fwrite(at, 1, token->length, file);
    putc(' ', file);
}

void alike_write(const struct alike_text *text, FILE *file)
{
    size_t line = 0;
    for (size_t i = 0; i < text->ntokens; i++) {
        for (; line < text->tokens[i].line; line++)
            putc('\n', file);
        if (!text->tokens[i].is_known)
            write_token(text, &text->tokens[i], file);
    }
    putc('\n', file);
}
