/* shown.c - what files show of the solutions: shown KIT < PATHS. A line for each function of KIT/solutions that one of the files shows, and
 * for each value that a skeleton leaves open; status 1 if there is one.
 * Files are read as tokens, without comments. Names are the same wherever they stand for the same thing, whatever they are called:
 * a name is how many tokens ago it was used (0: not within the window); words of C and CUDA are themselves. What any skeleton has,
 * students have; of a function's other tokens a file may have some windows, but not most. A function that hardly has others is
 * looked for as a whole. */
#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
    WINDOW = 12,  /* tokens; about a statement */
    LEAST = 20,   /* tokens of a function that no skeleton has; of the whole, where they are fewer */
    PERCENT = 60, /* of them in one file: the function is shown */
    VALUES = 3    /* tokens of a value that is looked for without its name: a list */
};

struct token {
    uint32_t hash;    /* of its text */
    uint32_t line;    /* from 1 */
    bool is_name;     /* chosen by who wrote it */
    char first;       /* character */
    const char *text; /* in the file's */
    size_t length;
};

struct text {
    const char *path;
    char *bytes;
    struct token *tokens;
    size_t count;
};

struct set {
    uint64_t *list; /* 0: free */
    size_t mask, count;
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("shown: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* ------------------------------------------------------------------------------------------- sets of windows */

static uint64_t *place_of(const struct set *set, uint64_t hash)
{
    size_t at = hash_word(hash) >> 20 & set->mask;
    while (set->list[at] && set->list[at] != hash)
        at = (at + 1) & set->mask;
    return &set->list[at];
}

static bool has(const struct set *set, uint64_t hash)
{
    return set->list && *place_of(set, hash) == hash;
}

static void add(struct set *set, uint64_t hash)
{
    if (2 * set->count >= set->mask) {
        const struct set old = *set;
        set->mask = old.mask ? 2 * old.mask + 1 : 1023;
        set->list = need(calloc(set->mask + 1, sizeof *set->list));
        for (size_t i = 0; old.list && i <= old.mask; i++)
            if (old.list[i])
                *place_of(set, old.list[i]) = old.list[i];
        free(old.list);
    }
    uint64_t *place = place_of(set, hash);
    set->count += !*place;
    *place = hash;
}

/* ------------------------------------------------------------------------------------------- tokens */

static bool begins(const char *text, size_t length, const char *with)
{
    return length >= strlen(with) && strncmp(text, with, strlen(with)) == 0;
}

/* Words that nobody can rename. */
static bool is_word_of_language(const char *text, size_t length)
{
    static const char *const words[] = {"if",       "else",     "for",      "while",     "do",     "return",
                                        "int",      "long",     "unsigned", "float",     "double", "char",
                                        "void",     "const",    "static",   "struct",    "sizeof", "size_t",
                                        "bool",     "template", "switch",   "case",      "break",  "continue",
                                        "blockIdx", "blockDim", "gridDim",  "threadIdx", "dim3",   "float4"};
    static const char *const families[] = {"__", "cuda", "curand", "atomic"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && begins(text, length, words[i]))
            return true;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (begins(text, length, families[i]))
            return true;
    return false;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t length_of_comment(const char *at)
{
    if (strncmp(at, "//", 2) == 0 || strncmp(at, "#include", 8) == 0)
        return strcspn(at, "\n");
    const char *end = strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/") : NULL;
    return end ? (size_t)(end + 2 - at) : 0;
}

static size_t length_of_token(const char *at)
{
    size_t length = 0;
    if (*at == '"') { /* a string, if it ends in its line */
        length = strcspn(at + 1, "\"\n") + 1;
        return at[length] == '"' ? length + 1 : 1;
    }
    while (is_of_word(at[length]) || (length && isdigit((unsigned char)*at) && at[length] == '.'))
        length++;
    return length ? length : 1;
}

static void read_tokens(struct text *text)
{
    size_t room = 0;
    uint32_t line = 1;
    for (const char *at = text->bytes, *next; *at; at = next) {
        const size_t comment = length_of_comment(at);
        next = at + (comment ? comment : length_of_token(at));
        if (!comment && !isspace((unsigned char)*at)) {
            if (text->count == room)
                text->tokens =
                    need(realloc(text->tokens, (room = room ? 2 * room : 256) * sizeof *text->tokens));
            const size_t length = (size_t)(next - at), last = text->count;
            const bool is_word = isalpha((unsigned char)*at) || *at == '_';
            /* threadIdx.x: the x of a word of the language is one, too. */
            const bool is_part = last > 1 && text->tokens[last - 1].first == '.' &&
                                 isalpha((unsigned char)text->tokens[last - 2].first) &&
                                 !text->tokens[last - 2].is_name;
            text->tokens[text->count++] =
                (struct token){.hash = hash_text(at, length),
                               .line = line,
                               .is_name = is_word && !is_part && !is_word_of_language(at, length),
                               .first = *at,
                               .text = at,
                               .length = length};
        }
        for (const char *c = at; c < next; c++)
            line += *c == '\n';
    }
}

/* Pictures and pages: what is between tags, as it reads. */
static void take_tags_away(char *bytes)
{
    static const struct {
        const char *name;
        char is;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
    char *to = bytes;
    for (char *at = bytes; *at;) {
        size_t length = 1;
        char c = *at;
        if (*at == '<') {
            length = strcspn(at, ">");
            length += at[length] == '>';
            c = ' ';
        }
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            if (begins(at, strlen(at), entities[i].name)) {
                length = strlen(entities[i].name);
                c = entities[i].is;
            }
        *to++ = c;
        at += length;
    }
    *to = '\0';
}

/* False: it cannot be read, or is no text. */
static bool open_text(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 1 << 16, got;
    *text = (struct text){.path = path, .bytes = need(malloc(room))};
    while (file && (got = fread(text->bytes + size, 1, room - size - 1, file)) > 0) {
        size += got;
        if (size == room - 1)
            text->bytes = need(realloc(text->bytes, room *= 2));
    }
    text->bytes[size] = '\0';
    if (file)
        fclose(file);
    if (!file || strlen(text->bytes) != size)
        return false;
    const char *end = strrchr(path, '.');
    if (end && (strcmp(end, ".svg") == 0 || strcmp(end, ".html") == 0))
        take_tags_away(text->bytes);
    read_tokens(text);
    return true;
}

static void close_text(struct text *text)
{
    free(text->bytes);
    free(text->tokens);
}

/* ------------------------------------------------------------------------------------------- windows */

static uint64_t window_at(const struct token *tokens)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < WINDOW; i++) {
        uint32_t what = tokens[i].hash;
        if (tokens[i].is_name) {
            what = 0;
            for (size_t back = 1; back <= i && !what; back++)
                what =
                    tokens[i - back].is_name && tokens[i - back].hash == tokens[i].hash ? (uint32_t)back : 0;
        }
        hash = (hash ^ what) * 0x100000001b3u;
        hash = (hash ^ tokens[i].is_name) * 0x100000001b3u;
    }
    return hash ? hash : 1;
}

static void add_windows(struct set *set, const struct text *text)
{
    for (size_t i = 0; i + WINDOW <= text->count; i++)
        add(set, window_at(&text->tokens[i]));
}

/* ------------------------------------------------------------------------------------------- what is secret */

struct secret {
    const struct text *solution;
    char name[64];
    size_t from, to; /* tokens: of a body, or of a value */
    bool is_value;   /* looked for as it is written */
    bool is_whole;   /* looked for from its first to its last token */
    bool *is_own;    /* [to - from]: no skeleton has it */
    size_t own;
};

static struct secret *secrets;
static size_t nsecrets;
static struct text *skeletons;
static size_t nskeletons;
static struct set given; /* windows of all skeletons */

static void add_secret(const struct secret *secret)
{
    secrets = need(realloc(secrets, (nsecrets + 1) * sizeof *secrets));
    secrets[nsecrets++] = *secret;
}

static bool is(const struct token *token, char c)
{
    return token->first == c && token->length == 1;
}

/* Marks what windows of a set cover. */
static void cover(const struct set *set, const struct text *text, size_t from, size_t to, bool *is_covered)
{
    for (size_t i = from; i + WINDOW <= to; i++)
        if (has(set, window_at(&text->tokens[i])))
            memset(&is_covered[i - from], true, WINDOW);
}

/* How many tokens before this one its name was used, from `first` on; 0: it was not. */
static size_t distance_of(const struct token *tokens, size_t at, size_t first)
{
    for (size_t back = 1; at >= first + back; back++)
        if (tokens[at - back].is_name && tokens[at - back].hash == tokens[at].hash)
            return back;
    return 0;
}

/* The same token, or a name that was used where the other one was. */
static bool is_alike(const struct token *a, size_t first_a, const struct token *b, size_t first_b, size_t at)
{
    const struct token *x = &a[first_a + at], *y = &b[first_b + at];
    if (x->is_name != y->is_name)
        return false;
    return x->is_name ? distance_of(a, first_a + at, first_a) == distance_of(b, first_b + at, first_b)
                      : x->hash == y->hash;
}

static bool has_whole(const struct text *text, const struct secret *secret, uint32_t *line)
{
    const size_t count = secret->to - secret->from;
    for (size_t i = 0; i + count <= text->count; i++) {
        size_t same = 0;
        while (same < count && is_alike(text->tokens, i, secret->solution->tokens, secret->from, same))
            same++;
        if (same == count) {
            *line = text->tokens[i].line;
            return true;
        }
    }
    return false;
}

static void add_body(const struct text *text, const struct token *name, size_t from, size_t to)
{
    struct secret secret = {
        .solution = text, .from = from, .to = to, .is_own = need(calloc(to - from + 1, 1))};
    uint32_t line;
    bool is_given = to - from < LEAST;
    cover(&given, text, from, to, secret.is_own);
    for (size_t i = 0; i < to - from; i++)
        secret.own += secret.is_own[i] = !secret.is_own[i];
    snprintf(secret.name, sizeof secret.name, "%.*s", (int)name->length, name->text);
    secret.is_whole = secret.own < LEAST;
    for (size_t i = 0; secret.is_whole && !is_given && i < nskeletons; i++)
        is_given = has_whole(&skeletons[i], &secret, &line);
    if (!is_given)
        add_secret(&secret);
    else
        free(secret.is_own);
}

static bool has_tokens(const struct text *text, const struct token *wanted, size_t count, uint32_t *line)
{
    for (size_t i = 0; i + count <= text->count; i++) {
        size_t same = 0;
        while (same < count && text->tokens[i + same].hash == wanted[same].hash)
            same++;
        if (same == count) {
            *line = text->tokens[i].line;
            return true;
        }
    }
    return false;
}

/* name = value, where the skeleton has the name with another one; a list is looked for without the name. */
static void add_value(const struct text *text, const struct token *name, size_t from, size_t to,
                      const struct text *skeleton)
{
    uint32_t line;
    struct secret secret = {.solution = text, .from = from, .to = to, .is_value = true};
    snprintf(secret.name, sizeof secret.name, "%.*s", (int)name->length, name->text);
    if (!has_tokens(skeleton, &text->tokens[from], 2, &line) ||
        has_tokens(skeleton, &text->tokens[from], to - from, &line))
        return;
    size_t begin = from, end = to;
    while (begin < to && !is(&text->tokens[begin], '{'))
        begin++;
    while (begin < to && is(&text->tokens[begin], '{'))
        begin++;
    while (end > begin && is(&text->tokens[end - 1], '}'))
        end--;
    if (end >= begin + VALUES) {
        secret.from = begin;
        secret.to = end;
    }
    add_secret(&secret);
}

static size_t end_of_braces(const struct text *text, size_t at)
{
    size_t depth = 0;
    do
        depth += (size_t)is(&text->tokens[at], '{') - (size_t)is(&text->tokens[at], '}');
    while (depth && ++at < text->count);
    return at;
}

/* Goes from one declaration to the next, also into structures, but not into functions and values. */
static void add_secrets(const struct text *text, const struct text *skeleton)
{
    const struct token *tokens = text->tokens;
    size_t name = 0, equals = 0, parentheses = 0; /* tokens; 0: there is none yet */
    for (size_t i = 1; i < text->count; i++) {
        if (is(&tokens[i], '(') && tokens[i - 1].is_name && !parentheses && !equals)
            name = i - 1;
        parentheses += (size_t)is(&tokens[i], '(') - (size_t)is(&tokens[i], ')');
        if (is(&tokens[i], '=') && !parentheses && !equals)
            equals = i;
        else if (is(&tokens[i], '{') && !parentheses && (name || equals)) {
            const size_t end = end_of_braces(text, i);
            if (!equals)
                add_body(text, &tokens[name], i + 1, end);
            name = 0;
            i = end;
        } else if (is(&tokens[i], ';')) {
            if (equals && tokens[equals - 1].is_name)
                add_value(text, &tokens[equals - 1], equals - 1, i, skeleton);
            equals = name = parentheses = 0;
        }
    }
}

/* ------------------------------------------------------------------------------------------- what is shown */

static int say(const struct secret *secret, const struct text *text, uint32_t line, const char *how)
{
    printf("%s:%u shows %s of %s:%u%s\n", text->path, line, secret->name, secret->solution->path,
           secret->solution->tokens[secret->from].line, how);
    return 1;
}

/* How many tokens of a body stand near each other in a text: a pattern that repeats there is not found more often than it is there. */
static size_t count_near(const struct secret *secret, const struct text *text, uint32_t *line)
{
    const size_t reach = 2 * (secret->to - secret->from);
    bool *is_covered = need(calloc(text->count + 1, 1));
    struct set body = {.list = NULL};
    size_t near = 0, most = 0, first = text->count;
    for (size_t i = secret->from; i + WINDOW <= secret->to; i++)
        if (memchr(&secret->is_own[i - secret->from], true, WINDOW))
            add(&body, window_at(&secret->solution->tokens[i]));
    cover(&body, text, 0, text->count, is_covered);
    for (size_t i = 0; i < text->count; i++) {
        near += is_covered[i];
        near -= i >= reach && is_covered[i - reach];
        if (near > most) {
            most = near;
            first = i >= reach ? i + 1 - reach : 0;
        }
    }
    while (first < text->count && !is_covered[first])
        first++;
    *line = first < text->count ? text->tokens[first].line : 0;
    free(is_covered);
    free(body.list);
    return most;
}

static int look_for(const struct secret *secret, const struct text *text, const struct set *windows)
{
    uint32_t line = 0;
    char how[64];
    size_t found = 0, least = (secret->own * PERCENT + 99) / 100;
    if (secret->is_value)
        return has_tokens(text, &secret->solution->tokens[secret->from], secret->to - secret->from, &line)
                   ? say(secret, text, line, "")
                   : 0;
    if (secret->is_whole)
        return has_whole(text, secret, &line) ? say(secret, text, line, ": all of it") : 0;
    bool *is_covered = need(calloc(secret->to - secret->from + 1, 1));
    cover(windows, secret->solution, secret->from, secret->to, is_covered);
    for (size_t i = 0; i < secret->to - secret->from; i++)
        found += is_covered[i] && secret->is_own[i];
    free(is_covered);
    if (found < least || count_near(secret, text, &line) < least)
        return 0;
    snprintf(how, sizeof how, ": %zu of %zu tokens", found, secret->own);
    return say(secret, text, line, how);
}

static int look_into(const char *path)
{
    struct text text;
    struct set windows = {.list = NULL};
    int shown = 0;
    if (open_text(&text, path)) {
        add_windows(&windows, &text);
        for (size_t i = 0; i < nsecrets; i++)
            shown += look_for(&secrets[i], &text, &windows);
    }
    free(windows.list);
    close_text(&text);
    return shown;
}

/* ------------------------------------------------------------------------------------------- the kit */

/* Texts of a pattern; they stay open to the end. */
static struct text *open_all(const char *kit, const char *pattern, size_t *count)
{
    char path[4096];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", kit, pattern);
    if (glob(path, 0, NULL, &found) || !found.gl_pathc) {
        fprintf(stderr, "shown: there is no %s\n", path);
        exit(2);
    }
    struct text *texts = need(calloc(found.gl_pathc, sizeof *texts));
    *count = found.gl_pathc;
    for (size_t i = 0; i < *count; i++)
        open_text(&texts[i], need(strdup(found.gl_pathv[i])));
    globfree(&found);
    return texts;
}

int main(int count, char **words)
{
    char path[4096];
    size_t nsolutions;
    int shown = 0;
    if (count != 2) {
        fputs("shown KIT < PATHS\n", stderr);
        return 2;
    }
    skeletons = open_all(words[1], "common/lab/skeletons/*/*.cu", &nskeletons);
    struct text *solutions = open_all(words[1], "solutions/*/*.cu", &nsolutions);
    for (size_t i = 0; i < nskeletons; i++)
        add_windows(&given, &skeletons[i]);
    for (size_t i = 0; i < nsolutions; i++)
        for (size_t k = 0; k < nskeletons; k++)
            if (strcmp(strrchr(solutions[i].path, '/'), strrchr(skeletons[k].path, '/')) == 0)
                add_secrets(&solutions[i], &skeletons[k]);
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        shown += look_into(path);
    }
    fprintf(stderr, "%zu functions and values of %zu solutions\n", nsecrets, nsolutions);
    return shown > 0;
}
