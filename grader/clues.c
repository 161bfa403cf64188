/* clues.c - see clues.h. Comments and literals are blanked first, lines of the preprocessor are passed over. */
#define _GNU_SOURCE
#include "grader/clues.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/diagnosis.h"
#include "lab/lab.h"

enum { MOST_FUNCTIONS = 400 };

/* A function's definition, in the order of the file. */
struct function {
    const char *name;
    int length;
    const char *begin, *end; /* its body, from { to } */
    bool is_kernel;
    bool is_reached; /* from the entry point that is looked at */
};

struct text {
    char *all;
    struct function list[MOST_FUNCTIONS];
    int count;
};

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

static unsigned line_of(const struct text *text, const char *at)
{
    unsigned line = 1;
    for (const char *c = text->all; c < at; c++)
        line += *c == '\n';
    return line;
}

/* The next place in [at, end), which is not the file's begin, where that word stands alone; NULL: none. */
static const char *find_word(const char *at, const char *end, const char *word, size_t length)
{
    for (; at + length <= end; at++)
        if (!strncmp(at, word, length) && !is_letter(at[-1]) && !is_letter(at[length]))
            return at;
    return NULL;
}

/* ------------------------------------------------------------------------------------------- functions */

/* The name before the first bracket that is not an attribute's. */
static const char *find_name(const char *begin, const char *end, int *length)
{
    for (const char *at = begin; at < end; at++) {
        const char *name = at;
        while (at < end && is_letter(*at))
            at++;
        if (at > name && *at == '(' && strncmp(name, "__", 2) != 0) {
            *length = (int)(at - name);
            return name;
        }
    }
    return NULL;
}

static void add_function(struct text *text, const char *head, const char *open, const char *close)
{
    int length;
    const char *name = find_name(head, open, &length);
    if (!name || text->count == MOST_FUNCTIONS)
        return;
    text->list[text->count++] =
        (struct function){.name = name,
                          .length = length,
                          .begin = open,
                          .end = close,
                          .is_kernel = memmem(head, (size_t)(open - head), "__global__", 10) != NULL};
}

/* Braces without a bracket before them (namespaces, extern "C") hold functions as the file itself does. */
static bool read_text(struct text *text, const char *source)
{
    *text = (struct text){.all = diagnosis_blank(source)};
    if (!text->all)
        return false;
    const char *head = text->all;
    for (char *at = text->all; *at; at++) {
        if (*at == '#' && (at == text->all || at[-1] == '\n' || at[-1] == ' ')) {
            while (*at && *at != '\n')
                *at++ = ' ';
            if (!*at)
                break;
        }
        if (*at == ';' || *at == '}')
            head = at + 1;
        if (*at != '{')
            continue;
        if (!memchr(head, '(', (size_t)(at - head))) {
            head = at + 1;
            continue;
        }
        const char *open = at;
        int depth = 0;
        for (; *at; at++) {
            depth += (*at == '{') - (*at == '}');
            if (!depth)
                break;
        }
        add_function(text, head, open, at);
        head = at + 1;
        if (!*at)
            break;
    }
    return true;
}

static struct function *find_function(struct text *text, const char *name)
{
    for (int i = 0; i < text->count; i++)
        if ((int)strlen(name) == text->list[i].length &&
            !strncmp(text->list[i].name, name, (size_t)text->list[i].length))
            return &text->list[i];
    return NULL;
}

static bool mentions(const struct function *user, const struct function *used)
{
    return user != used && find_word(user->begin, user->end, used->name, (size_t)used->length);
}

/* All that a function mentions, and what that mentions. */
static void reach(struct text *text, struct function *from)
{
    from->is_reached = true;
    for (int i = 0; i < text->count; i++)
        if (!text->list[i].is_reached && mentions(from, &text->list[i]))
            reach(text, &text->list[i]);
}

/* ------------------------------------------------------------------------------------------- no initial value */

/* Behind the words of an arithmetic type that begin a statement; NULL: none does. */
static const char *skip_type(const char *at)
{
    static const char *const words[] = {"unsigned", "signed",  "long",   "short",    "int",
                                        "char",     "float",   "double", "uint32_t", "int32_t",
                                        "uint64_t", "int64_t", "size_t", "uint"};
    const char *begin = at;
    for (bool is_word = true; is_word;) {
        is_word = false;
        at += strspn(at, " \t\n");
        for (int i = 0; i < LAB_COUNT(words) && !is_word; i++) {
            const size_t length = strlen(words[i]);
            is_word = !strncmp(at, words[i], length) && !is_letter(at[length]);
            at += is_word ? length : 0;
        }
    }
    return at > begin && at[-1] != ';' && is_letter(*at) ? at : NULL;
}

/* Only names and commas up to the ; are a declaration without a value. */
static bool is_bare(const char *at)
{
    while (is_letter(*at) || strchr(" ,\t\n", *at))
        if (!*at++)
            return false;
    return *at == ';';
}

/* True if the first use of the name adds to what it holds. */
static bool is_added_to(const char *use, size_t length, const char *begin)
{
    const char *behind = use + length, *before = use - 1;
    behind += strspn(behind, " ");
    while (before > begin && *before == ' ')
        before--;
    const bool is_step = !strncmp(behind, "++", 2) || !strncmp(behind, "--", 2) ||
                         (before > begin && (!strncmp(before - 1, "++", 2) || !strncmp(before - 1, "--", 2)));
    return is_step || (strchr("+-*|^&", *behind) && *behind && behind[1] == '=');
}

static bool find_unset_in(const struct text *text, const struct function *function, char *out, size_t size)
{
    for (const char *at = function->begin; at < function->end; at++) {
        const bool is_start = strchr(";{}", *at);
        const char *name = is_start ? skip_type(at + 1) : NULL;
        if (!name || !is_bare(name))
            continue;
        for (const char *stop = strchr(name, ';'); name < stop; name += strspn(name, " ,\t\n")) {
            size_t length = 0;
            while (is_letter(name[length]))
                length++;
            const char *use = length ? find_word(stop, function->end, name, length) : NULL;
            if (use && is_added_to(use, length, stop)) {
                snprintf(out, size,
                         "`%.*s` has no initial value (line %u), and line %u adds to what happens to be "
                         "there: set "
                         "it first, to 0 where it counts or adds up.",
                         (int)length, name, line_of(text, name), line_of(text, use));
                return true;
            }
            if (!length)
                break;
            name += length;
        }
    }
    return false;
}

bool clues_find_unset(const char *source, const struct lab_stage *stage, char *out, size_t size)
{
    struct text *text = malloc(sizeof *text);
    bool is_found = false;
    if (text && read_text(text, source)) {
        struct function *entry = find_function(text, stage->entry);
        if (entry)
            reach(text, entry);
        for (int i = 0; i < text->count && !is_found; i++)
            is_found = text->list[i].is_reached && find_unset_in(text, &text->list[i], out, size);
        free(text->all);
    }
    free(text);
    return is_found;
}

/* ------------------------------------------------------------------------------------------- another stage's kernel */

/* The stage whose entry point is the first behind a kernel: each stands before the function that launches it. */
static const struct lab_stage *stage_of(struct text *text, const struct lab *lab,
                                        const struct function *kernel)
{
    for (const struct function *next = kernel; next < text->list + text->count; next++)
        for (int i = 0; i < lab->nstages; i++)
            if (find_function(text, lab->stages[i].entry) == next)
                return &lab->stages[i];
    return NULL;
}

static bool is_used(const struct text *text, const struct function *kernel)
{
    for (int i = 0; i < text->count; i++)
        if (mentions(&text->list[i], kernel))
            return true;
    return false;
}

bool clues_find_other_kernel(const char *source, const char *skeleton, const struct lab *lab,
                             const struct lab_stage *stage, char *out, size_t size)
{
    const struct function *own = NULL, *other = NULL;
    const struct lab_stage *whose = NULL;
    struct text *text = malloc(sizeof *text);
    if (!text || !read_text(text, source)) {
        free(text);
        return false;
    }
    const struct function *entry = find_function(text, stage->entry);
    for (int i = 0; entry && i < text->count; i++) {
        const struct function *one = &text->list[i];
        const struct lab_stage *its = one->is_kernel ? stage_of(text, lab, one) : NULL;
        if (!its)
            continue;
        const bool is_given = memmem(skeleton, strlen(skeleton), one->name, (size_t)one->length);
        if (its == stage && is_given && !is_used(text, one))
            own = one;
        else if (its != stage && mentions(entry, one)) {
            other = one;
            whose = its;
        }
    }
    const bool is_found = own && other;
    if (is_found)
        snprintf(out, size, "%s launches `%.*s`, which is stage %d's kernel; `%.*s` is never launched.",
                 stage->entry, other->length, other->name, (int)(whose - lab->stages) + 1, own->length,
                 own->name);
    free(text->all);
    free(text);
    return is_found;
}
