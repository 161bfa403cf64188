/* alike_tokens.c - a text as tokens that stay the same when a copy is disguised: see alike.h.
 * Three passes: words and marks of the text, with its macros expanded; the same without what changes nothing (qualifiers,
 * renamed types, i++ or i += 1); and with operands of commutative operators in one order and without braces and grouping
 * parentheses. The first two work for any bytes; the third reads brackets, nothing else of C++ is understood. */
#include "grader/course/alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Kinds below 256 are marks of one character. */
enum {
    NAME = 256, /* also a number, a type */
    TEXT,
    PARAMETER, /* in a macro's body: `length` is which */
    FIRST_MARK = 300,
    FIRST_SHAPE = 400,
    FIRST_DROPPED = 500,
    FIRST_TYPE = 600,
    FIRST_ALIAS = 700
};
enum { MOST_MACROS = 200, MOST_PARAMETERS = 16, MOST_STEPS = 400000, MOST_DEPTH = 60, MOST_OPERANDS = 64 };

enum mark {
    LAUNCH,
    END_LAUNCH,
    SHIFT_LEFT_SET,
    SHIFT_RIGHT_SET,
    DOTS,
    ARROW,
    INCREMENT,
    DECREMENT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    AT_MOST,
    AT_LEAST,
    EQUAL,
    UNEQUAL,
    BOTH,
    EITHER,
    ADD_SET,
    SUBTRACT_SET,
    TIMES_SET,
    DIVIDE_SET,
    MODULO_SET,
    AND_SET,
    OR_SET,
    XOR_SET,
    SCOPE,
    PASTE
};
#define MARK(name) (FIRST_MARK + (name))
static const char *const marks[] = {"<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<",
                                    ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
                                    "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "::", "##", NULL};

/* The first four are followed by a condition in parentheses. */
enum { CONDITIONED = 4 };
static const char *const shapes[] = {"if",       "for",    "while",   "switch",   "else",
                                     "do",       "return", "case",    "goto",     "break",
                                     "continue", "sizeof", "default", "template", NULL};
static const char *const dropped[] = {"const",    "constexpr", "volatile",        "static",       "inline",
                                      "register", "restrict",  "__restrict__",    "__restrict",   "extern",
                                      "struct",   "class",     "typename",        "__inline__",   "mutable",
                                      "noexcept", "enum",      "__forceinline__", "__noinline__", NULL};
static const char *const types[] = {"int",  "float", "double", "char",   "long",     "short",
                                    "bool", "void",  "auto",   "signed", "unsigned", NULL};
static const char *const aliases[] = {"typedef", "using", NULL};

static const struct word_list {
    uint16_t first;
    const char *const *words;
} word_lists[] = {
    {FIRST_SHAPE, shapes}, {FIRST_DROPPED, dropped}, {FIRST_TYPE, types}, {FIRST_ALIAS, aliases}};

struct tokens {
    struct alike_token *list;
    size_t count, room;
};

struct macro {
    struct alike_token name;
    size_t from, count; /* its body, in reader.bodies */
    int parameters;     /* -1: it has no parentheses */
};

struct reader {
    const char *text;
    struct tokens *out;
    struct tokens bodies;
    struct macro macros[MOST_MACROS];
    size_t nmacros, steps;
    uint32_t line;
    int depth;
    bool has_failed; /* out of memory */
};

static bool add_token(struct tokens *tokens, const struct alike_token *token)
{
    if (tokens->count == tokens->room) {
        const size_t room = tokens->room ? 2 * tokens->room : 1024;
        struct alike_token *list = realloc(tokens->list, room * sizeof *list);
        if (!list)
            return false;
        tokens->list = list;
        tokens->room = room;
    }
    tokens->list[tokens->count++] = *token;
    return true;
}

/* ------------------------------------------------------------------------------------------- words and marks */

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

static uint16_t kind_of_word(const char *at, size_t length)
{
    for (size_t i = 0; i < sizeof word_lists / sizeof *word_lists; i++) {
        for (uint16_t k = 0; word_lists[i].words[k]; k++) {
            if (strlen(word_lists[i].words[k]) == length && memcmp(word_lists[i].words[k], at, length) == 0)
                return word_lists[i].first + k;
        }
    }
    return NAME;
}

/* A string ends at its quote, or where its line does. */
static size_t length_of_string(const char *at)
{
    size_t i = 1;
    while (at[i] && at[i] != *at && at[i] != '\n')
        i += at[i] == '\\' && at[i + 1] && at[i + 1] != '\n' ? 2 : 1;
    return at[i] == *at ? i + 1 : i;
}

static size_t length_of_word(const char *at)
{
    const bool is_number = isdigit((unsigned char)*at);
    size_t length = 0;
    while (is_of_word(at[length]) || (is_number && at[length] == '.'))
        length++;
    return length;
}

static size_t length_of(const char *at, uint16_t *kind)
{
    if (*at == '"' || *at == '\'') {
        *kind = TEXT;
        return length_of_string(at);
    }
    if (is_of_word(*at)) {
        const size_t length = length_of_word(at);
        *kind = kind_of_word(at, length);
        return length;
    }
    for (uint16_t i = 0; marks[i]; i++) {
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            *kind = FIRST_MARK + i;
            return strlen(marks[i]);
        }
    }
    *kind = (unsigned char)*at;
    return 1;
}

/* Behind blanks and comments; a line break that ends a directive is where it stops. */
static const char *skip_blanks(const char *at, bool is_directive)
{
    for (;;) {
        if (at[0] == '\\' && at[1] == '\n')
            at += 2;
        else if (*at && isspace((unsigned char)*at) && !(is_directive && *at == '\n'))
            at++;
        else if (strncmp(at, "//", 2) == 0)
            at += strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else
            return at;
    }
}

static const char *read_token(const struct reader *reader, const char *at, struct alike_token *token)
{
    uint16_t kind;
    const size_t length = length_of(at, &kind);
    *token = (struct alike_token){.at = (uint32_t)(at - reader->text),
                                  .line = reader->line,
                                  .kind = kind,
                                  .length = (uint16_t)(length < 60000 ? length : 60000)};
    return at + length;
}

static bool is_same_word(const struct reader *reader, const struct alike_token *a,
                         const struct alike_token *b)
{
    return a->length == b->length && memcmp(reader->text + a->at, reader->text + b->at, a->length) == 0;
}

/* ------------------------------------------------------------------------------------------- macros */

/* Names in parentheses directly behind a macro's: how many. */
static int read_parameters(const struct reader *reader, const char **at, struct alike_token *names)
{
    int count = 0;
    if (**at != '(')
        return -1;
    for (++*at; *(*at = skip_blanks(*at, true)) && **at != '\n';) {
        struct alike_token token;
        *at = read_token(reader, *at, &token);
        if (token.kind == ')')
            break;
        if (token.kind != ',' && count < MOST_PARAMETERS)
            names[count++] = token;
    }
    return count;
}

static const char *read_macro(struct reader *reader, const char *at)
{
    struct macro macro = {.from = reader->bodies.count};
    struct alike_token names[MOST_PARAMETERS], token;
    at = skip_blanks(at, true);
    if (!is_of_word(*at) || reader->nmacros == MOST_MACROS)
        return at;
    at = read_token(reader, at, &macro.name);
    macro.parameters = read_parameters(reader, &at, names);
    while (*(at = skip_blanks(at, true)) && *at != '\n' && !reader->has_failed) {
        at = read_token(reader, at, &token);
        for (int i = 0; i < macro.parameters; i++) {
            if (is_same_word(reader, &token, &names[i]))
                token.kind = PARAMETER, token.length = (uint16_t)i;
        }
        reader->has_failed = reader->bodies.count < ALIKE_MOST && !add_token(&reader->bodies, &token);
    }
    macro.count = reader->bodies.count - macro.from;
    reader->macros[reader->nmacros++] = macro;
    return at;
}

/* A line of the preprocessor. Both sides of an #if stay. */
static const char *read_directive(struct reader *reader, const char *at)
{
    at = skip_blanks(at + 1, true);
    if (strncmp(at, "define", 6) == 0 && !is_of_word(at[6]))
        at = read_macro(reader, at + 6);
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

static bool read_words(struct reader *reader, struct tokens *out, size_t *nlines)
{
    bool begins_line = true;
    for (const char *at = reader->text, *counted = at;
         *(at = skip_blanks(at, false)) && !reader->has_failed;) {
        struct alike_token token;
        begins_line = begins_line || memchr(counted, '\n', (size_t)(at - counted));
        for (; counted < at; counted++)
            reader->line += *counted == '\n';
        if (begins_line && *at == '#')
            at = read_directive(reader, at);
        else {
            at = read_token(reader, at, &token);
            reader->has_failed = out->count < ALIKE_MOST && !add_token(out, &token);
        }
        begins_line = false;
    }
    *nlines = 1;
    for (const char *at = reader->text; (at = strchr(at, '\n')); at++)
        ++*nlines;
    return !reader->has_failed;
}

/* One use of a macro. Arguments are those of where it is used, and are expanded there. */
struct use {
    const struct macro *macro;
    const struct use *up;
    struct argument {
        const struct alike_token *list;
        size_t count;
    } arguments[MOST_PARAMETERS];
};

static const struct macro *find_macro(const struct reader *reader, const struct alike_token *token,
                                      const struct use *use)
{
    if (token->kind == TEXT || token->kind < 256 || (token->kind >= FIRST_MARK && token->kind < FIRST_SHAPE))
        return NULL;
    for (size_t i = reader->nmacros; i-- > 0;) {
        if (!is_same_word(reader, token, &reader->macros[i].name))
            continue;
        for (; use; use = use->up) {
            if (use->macro == &reader->macros[i])
                return NULL; /* not within itself */
        }
        return &reader->macros[i];
    }
    return NULL;
}

/* From the parenthesis at `from`; behind its end. `from`: there is none. */
static size_t read_arguments(const struct alike_token *list, size_t from, size_t count, struct use *use)
{
    size_t begin = from + 1;
    int depth = 0, which = 0;
    if (from == count || list[from].kind != '(')
        return from;
    for (size_t i = from; i < count; i++) {
        const uint16_t kind = list[i].kind;
        depth += (kind == '(') - (kind == ')');
        if (depth == 0 || (depth == 1 && kind == ',' && which < MOST_PARAMETERS - 1)) {
            use->arguments[which++] = (struct argument){&list[begin], i - begin};
            begin = i + 1;
        }
        if (depth == 0)
            return i + 1;
    }
    return from;
}

static void expand(struct reader *reader, const struct alike_token *list, size_t count, const struct use *use)
{
    if (reader->depth == MOST_DEPTH)
        return;
    reader->depth++;
    for (size_t i = 0; i < count && !reader->has_failed && reader->steps++ < MOST_STEPS; i++) {
        struct use next = {.macro = list[i].kind == PARAMETER ? NULL : find_macro(reader, &list[i], use),
                           .up = use};
        reader->line = use ? reader->line : list[i].line;
        if (list[i].kind == PARAMETER && use) {
            const struct argument *argument = &use->arguments[list[i].length];
            expand(reader, argument->list, argument->count, use->up);
        } else if (next.macro && next.macro->parameters < 0)
            expand(reader, reader->bodies.list + next.macro->from, next.macro->count, &next);
        else if (next.macro) {
            const size_t end = read_arguments(list, i + 1, count, &next);
            if (end > i + 1) {
                expand(reader, reader->bodies.list + next.macro->from, next.macro->count, &next);
                i = end - 1;
            }
        } else if (list[i].kind == MARK(PASTE))
            i++; /* two words made one: the first stands for it */
        else if (reader->out->count < ALIKE_MOST) {
            struct alike_token token = list[i];
            token.line = reader->line;
            reader->has_failed = !add_token(reader->out, &token);
        }
    }
    reader->depth--;
}

/* ------------------------------------------------------------------------------------------- what changes nothing */

static bool is_in(uint16_t kind, uint16_t first)
{
    return kind >= first && kind < first + 100;
}

/* Behind the `;` of a declaration that only gives a type another name. */
static size_t skip_alias(const struct alike_token *list, size_t at, size_t count)
{
    int depth = 0;
    for (; at < count; at++) {
        depth += (list[at].kind == '{') - (list[at].kind == '}');
        if (list[at].kind == ';' && depth <= 0)
            return at + 1;
    }
    return count;
}

/* x = x + : the operator that does both. 0: there is none. */
static uint16_t set_by(uint16_t kind)
{
    static const struct {
        uint16_t kind, set;
    } both[] = {{'+', MARK(ADD_SET)},
                {'-', MARK(SUBTRACT_SET)},
                {'*', MARK(TIMES_SET)},
                {'/', MARK(DIVIDE_SET)},
                {'%', MARK(MODULO_SET)},
                {'&', MARK(AND_SET)},
                {'|', MARK(OR_SET)},
                {'^', MARK(XOR_SET)},
                {MARK(INCREMENT), MARK(ADD_SET)},
                {MARK(DECREMENT), MARK(SUBTRACT_SET)}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        if (both[i].kind == kind)
            return both[i].set;
    }
    return 0;
}

static bool simplify(const struct reader *reader, const struct tokens *in, struct tokens *out)
{
    const struct alike_token *list = in->list;
    bool is_done = true;
    for (size_t i = 0; i < in->count && is_done; i++) {
        struct alike_token token = list[i];
        const uint16_t next = i + 1 < in->count ? list[i + 1].kind : 0;
        const uint16_t last = out->count ? out->list[out->count - 1].kind : 0;
        const bool is_step = token.kind == MARK(INCREMENT) || token.kind == MARK(DECREMENT);
        if (is_in(token.kind, FIRST_DROPPED) || token.kind == MARK(SCOPE))
            continue;
        if (is_in(token.kind, FIRST_ALIAS)) {
            i = skip_alias(list, i, in->count) - 1;
            continue;
        }
        if (next == MARK(SCOPE) && token.kind == NAME) /* a name of a namespace */
            continue;
        if (is_in(token.kind, FIRST_TYPE)) {
            if (i && is_in(list[i - 1].kind, FIRST_TYPE))
                continue;
            token.kind = NAME;
        }
        if (token.kind == MARK(ARROW))
            token.kind = '.';
        if (is_step) { /* ++x is x += 1, and so is x++ */
            const struct alike_token *name = &list[i];
            token.kind = set_by(token.kind);
            if (next == NAME && last != NAME && last != ']' && last != ')')
                is_done = add_token(out, &list[++i]);
            is_done = is_done && add_token(out, &token);
            token = *name;
            token.kind = NAME;
        } else if (token.kind == NAME && next == '=' && i + 3 < in->count && list[i + 2].kind == NAME &&
                   is_same_word(reader, &token, &list[i + 2]) && set_by(list[i + 3].kind)) {
            is_done = add_token(out, &token);
            token.kind = set_by(list[i + 3].kind);
            i += 3;
        }
        is_done = is_done && add_token(out, &token);
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- one order */

/* Operators of one precedence, loosest first. Operands of `commutes` are sorted; a > b
 * is turned to b < a. */
static const struct level {
    uint16_t operators[4];
    uint16_t commutes;
} levels[] = {{{MARK(EITHER)}, MARK(EITHER)},
              {{MARK(BOTH)}, MARK(BOTH)},
              {{'|'}, '|'},
              {{'^'}, '^'},
              {{'&'}, '&'},
              {{MARK(EQUAL)}, MARK(EQUAL)},
              {{MARK(UNEQUAL)}, MARK(UNEQUAL)},
              {{'<', '>', MARK(AT_MOST), MARK(AT_LEAST)}, 0},
              {{MARK(SHIFT_LEFT), MARK(SHIFT_RIGHT)}, 0},
              {{'+', '-'}, '+'},
              {{'*', '/', '%'}, '*'}};
enum { LEVELS = sizeof levels / sizeof *levels };

struct sorter {
    const struct tokens *in;
    size_t at;
    struct alike_token *out, *room; /* as many as there are in `in` */
    size_t count;
    int depth;
};

static bool read_level(struct sorter *sorter, int level);

static uint16_t kind_at(const struct sorter *sorter, size_t ahead)
{
    return sorter->at + ahead < sorter->in->count ? sorter->in->list[sorter->at + ahead].kind : 0;
}

static void put(struct sorter *sorter)
{
    sorter->out[sorter->count++] = sorter->in->list[sorter->at++];
}

/* Up to a closing bracket, which stays; to the end: 0. */
static void read_sequence(struct sorter *sorter, uint16_t close)
{
    sorter->depth++;
    while (sorter->at < sorter->in->count && (!close || kind_at(sorter, 0) != close)) {
        const uint16_t kind = kind_at(sorter, 0);
        if (kind == '{' || kind == '}')
            sorter->at++;
        else if (kind >= FIRST_SHAPE && kind < FIRST_SHAPE + CONDITIONED && kind_at(sorter, 1) == '(' &&
                 sorter->depth < MOST_DEPTH) {
            put(sorter);
            put(sorter);
            read_sequence(sorter, ')');
            if (kind_at(sorter, 0))
                put(sorter);
        } else if (!read_level(sorter, 0))
            put(sorter);
    }
    sorter->depth--;
}

static void read_brackets(struct sorter *sorter, uint16_t close, bool is_shown)
{
    if (is_shown)
        put(sorter);
    else
        sorter->at++;
    read_sequence(sorter, close);
    if (kind_at(sorter, 0) && is_shown)
        put(sorter);
    else
        sorter->at += kind_at(sorter, 0) != 0;
}

static bool read_primary(struct sorter *sorter)
{
    const uint16_t kind = kind_at(sorter, 0);
    if (kind == NAME || kind == TEXT)
        put(sorter);
    else if ((kind == '(' || kind == '[') && sorter->depth < MOST_DEPTH)
        read_brackets(sorter, kind == '(' ? ')' : ']', kind == '[');
    else
        return false;
    return true;
}

/* A name or something in brackets, with what stands before and behind it. */
static bool read_operand(struct sorter *sorter)
{
    const size_t from = sorter->at;
    while (kind_at(sorter, 0) && kind_at(sorter, 0) < 256 && strchr("-!~*&+", kind_at(sorter, 0))) {
        if (kind_at(sorter, 0) == '+')
            sorter->at++;
        else
            put(sorter);
    }
    if (!read_primary(sorter))
        return sorter->at > from;
    for (;;) {
        const uint16_t kind = kind_at(sorter, 0);
        if ((kind == '(' || kind == '[') && sorter->depth < MOST_DEPTH)
            read_brackets(sorter, kind == '(' ? ')' : ']', true);
        else if (kind == '.' && kind_at(sorter, 1) == NAME) {
            put(sorter);
            put(sorter);
        } else
            return true;
    }
}

struct operand {
    const struct alike_token *list;
    size_t count;
};

static int by_kinds(const void *a, const void *b)
{
    const struct operand *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? -1 : 1;
    for (size_t i = 0; i < one->count; i++) {
        if (one->list[i].kind != other->list[i].kind)
            return one->list[i].kind < other->list[i].kind ? -1 : 1;
    }
    return (one->list > other->list) - (one->list < other->list); /* qsort need not be stable */
}

/* The operands that begin at `starts`, and the same operator between them. `end`: behind the last one. */
static void sort_operands(struct sorter *sorter, const size_t *starts, size_t count, size_t end,
                          bool is_turned)
{
    struct operand operands[MOST_OPERANDS];
    const struct alike_token between = sorter->out[starts[1] - 1];
    size_t to = starts[0];
    memcpy(sorter->room + to, sorter->out + to, (end - to) * sizeof *sorter->room);
    for (size_t i = 0; i < count; i++) {
        const size_t behind = i + 1 < count ? starts[i + 1] - 1 : end;
        operands[i] = (struct operand){sorter->room + starts[i], behind - starts[i]};
    }
    if (is_turned) {
        const struct operand first = operands[0];
        operands[0] = operands[1];
        operands[1] = first;
    } else
        qsort(operands, count, sizeof *operands, by_kinds);
    for (size_t i = 0; i < count; i++) {
        if (i)
            sorter->out[to++] = between;
        memcpy(sorter->out + to, operands[i].list, operands[i].count * sizeof *sorter->out);
        to += operands[i].count;
    }
}

static bool is_of_level(uint16_t kind, int level)
{
    for (int i = 0; kind && i < 4; i++) {
        if (levels[level].operators[i] == kind)
            return true;
    }
    return false;
}

/* a > b is b < a. */
static void turn_comparison(struct sorter *sorter, const size_t *starts, size_t end)
{
    struct alike_token *between = &sorter->out[starts[1] - 1];
    if (between->kind != '>' && between->kind != MARK(AT_LEAST))
        return;
    between->kind = between->kind == '>' ? '<' : MARK(AT_MOST);
    sort_operands(sorter, starts, 2, end, true);
}

static bool read_level(struct sorter *sorter, int level)
{
    size_t starts[MOST_OPERANDS], count = 0, sorted = 0, sorted_end = 0, end = 0;
    bool is_sorted = true;
    if (level == LEVELS)
        return read_operand(sorter);
    for (;;) {
        starts[count] = sorter->count;
        if (!read_level(sorter, level + 1))
            break;
        count++;
        end = sorter->count;
        if (is_sorted)
            sorted = count, sorted_end = end;
        if (!is_of_level(kind_at(sorter, 0), level) || count == MOST_OPERANDS)
            break;
        is_sorted = is_sorted && kind_at(sorter, 0) == levels[level].commutes;
        put(sorter);
    }
    if (sorted > 1)
        sort_operands(sorter, starts, sorted, sorted_end, false);
    if (count == 2 && sorter->count == end)
        turn_comparison(sorter, starts, end);
    return count > 0;
}

/* ------------------------------------------------------------------------------------------- all of it */

static bool sort_tokens(struct alike_text *text, const struct tokens *in)
{
    struct sorter sorter = {.in = in,
                            .out = calloc(in->count + 1, sizeof *sorter.out),
                            .room = calloc(in->count + 1, sizeof *sorter.room)};
    const bool is_done = sorter.out && sorter.room;
    if (is_done)
        read_sequence(&sorter, 0);
    free(sorter.room);
    text->tokens = sorter.out;
    text->ntokens = sorter.count;
    return is_done;
}

bool alike_read_tokens(struct alike_text *text)
{
    struct tokens words = {.list = NULL}, expanded = {.list = NULL}, plain = {.list = NULL};
    struct reader *reader = calloc(1, sizeof *reader);
    bool is_done = reader != NULL;
    if (is_done) {
        *reader = (struct reader){.text = text->text, .out = &expanded};
        is_done = read_words(reader, &words, &text->nlines);
    }
    if (is_done) {
        expand(reader, words.list, words.count, NULL);
        is_done = !reader->has_failed && simplify(reader, &expanded, &plain) && sort_tokens(text, &plain);
    }
    if (reader)
        free(reader->bodies.list);
    free(words.list);
    free(expanded.list);
    free(plain.list);
    free(reader);
    return is_done;
}
