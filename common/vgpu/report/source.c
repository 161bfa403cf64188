/* source.c - what the program's own text says: parameter names, array dimensions, which statement encloses a line.
 * Files are read once and kept with comments and literals blanked, so that a search never finds words in them.
 * It is no parser of C++: it looks for patterns, and answers "unknown" when they are not there. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "core/machine.h"
#include "report/names.h"

enum { MAX_SOURCE_BYTES = 8 << 20, MAX_SOURCES = 64 };

struct source {
    char *path;
    char *text; /* NULL: cannot be read */
};

static struct source sources[MAX_SOURCES];
static size_t nsources;
static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;

/* Blanks from *at to the end of a comment or literal; newlines stay. Returns where ordinary text goes on. */
static char *blank(char *at, const char *end_mark, bool has_escapes)
{
    size_t size = strlen(end_mark);
    for (; *at && strncmp(at, end_mark, size) != 0; at++) {
        if (has_escapes && at[0] == '\\' && at[1] && at[1] != '\n')
            *at++ = ' ';
        if (*at != '\n')
            *at = ' ';
    }
    for (size_t i = 0; i < size && *at; i++, at++)
        if (*at != '\n')
            *at = ' ';
    return at;
}

static void blank_comments(char *at)
{
    while (*at) {
        bool is_digit_separator = at[0] == '\'' && isdigit((unsigned char)at[1]);
        if (at[0] == '/' && at[1] == '/') {
            at = blank(at, "\n", false);
        } else if (at[0] == '/' && at[1] == '*') {
            at[0] = at[1] = ' ';
            at = blank(at, "*/", false);
        } else if (at[0] == '"' || (at[0] == '\'' && !is_digit_separator)) {
            char mark[2] = {at[0], '\0'};
            at[0] = ' ';
            at = blank(at + 1, mark, true);
        } else {
            at++;
        }
    }
}

/* The blanked text of a file, or NULL. It stays valid for the life of the program. */
static const char *source_text(const char *path)
{
    const char *text = NULL;
    pthread_mutex_lock(&sources_lock);
    size_t i = 0, size;
    while (i < nsources && strcmp(sources[i].path, path) != 0)
        i++;
    if (i == nsources && nsources < MAX_SOURCES) {
        sources[i].path = strdup(path);
        if (sources[i].path) {
            sources[i].text = file_read(path, MAX_SOURCE_BYTES, true, &size);
            if (sources[i].text)
                blank_comments(sources[i].text);
            nsources++;
        }
    }
    if (i < nsources)
        text = sources[i].text;
    pthread_mutex_unlock(&sources_lock);
    return text;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next whole word `name` at or after at; NULL: none. */
static const char *find_word(const char *begin, const char *at, const char *name)
{
    size_t size = strlen(name);
    if (size == 0)
        return NULL;
    for (; (at = strstr(at, name)); at += size)
        if ((at == begin || !is_word(at[-1])) && !is_word(at[size]))
            return at;
    return NULL;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* at stands on an opening bracket; returns what follows the closing one, or NULL. */
static const char *skip_brackets(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (strchr("([{", *at))
            depth++;
        if (strchr(")]}", *at) && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* True if the declaration in which at stands says __global__: no statement ends between the two. */
static bool is_kernel_declaration(const char *begin, const char *at)
{
    enum { FAR = 600 };
    static const char mark[] = "__global__";
    for (const char *back = at; back > begin && at - back < FAR; back--) {
        if (back[-1] == ';' || back[-1] == '}')
            return false;
        if (strncmp(back - 1, mark, sizeof mark - 1) == 0)
            return true;
    }
    return false;
}

/* The last identifier of one parameter's text, before a default value or array bounds. */
static bool parameter_name(const char *at, const char *end, char *out, size_t size)
{
    const char *word = NULL;
    size_t length = 0, words = 0;
    for (const char *p = at; p < end && *p != '=' && *p != '['; p++) {
        if (!is_word(*p) || (p > at && is_word(p[-1])))
            continue;
        word = p;
        for (length = 0; p + length < end && is_word(p[length]); length++)
            ;
        words++;
    }
    if (!word || words < 2 || isdigit((unsigned char)*word) || length >= size)
        return false;
    snprintf(out, size, "%.*s", (int)length, word);
    return true;
}

/* Parameter number index of the list that opens at at. */
static bool nth_parameter(const char *at, unsigned index, char *out, size_t size)
{
    const char *end = skip_brackets(at);
    const char *start = at + 1;
    int depth = 0;
    if (!end)
        return false;
    for (const char *p = at + 1; p < end; p++) {
        bool is_end = p == end - 1;
        if (!is_end)
            depth += (strchr("([{<", *p) != NULL) - (strchr(")]}>", *p) != NULL);
        if (!is_end && !(*p == ',' && depth == 0))
            continue;
        if (index-- == 0)
            return parameter_name(start, p, out, size);
        start = p + 1;
    }
    return false;
}

bool source_parameter(const char *file, const char *function, unsigned index, char *out, size_t size)
{
    const char *text = source_text(file);
    if (!text)
        return false;
    for (const char *at = text; (at = find_word(text, at, function)); at++) {
        const char *open = skip_space(at + strlen(function));
        if (*open == '(' && is_kernel_declaration(text, at) && nth_parameter(open, index, out, size))
            return true;
    }
    return false;
}

static bool source_dimensions(const char *file, const char *name, char *out, size_t size)
{
    const char *text = source_text(file);
    if (!text)
        return false;
    for (const char *at = text; (at = find_word(text, at, name)); at++) {
        const char *open = skip_space(at + strlen(name)), *end = open;
        const char *statement = at;
        while (statement > text && !strchr(";{}", statement[-1]))
            statement--;
        const char *shared = strstr(statement, "__shared__");
        if (*open != '[' || !shared || shared > at)
            continue;
        while (*end == '[') {
            const char *next = skip_brackets(end);
            if (!next)
                return false;
            end = skip_space(next);
        }
        if ((size_t)(end - open) >= size)
            return false;
        snprintf(out, size, "%.*s", (int)(end - open), open);
        return true;
    }
    return false;
}

/* The value of a word that the file defines as a number: #define WORD 32, WORD = 32. */
static bool word_value(const char *text, const char *word, uint64_t *value)
{
    for (const char *at = text; (at = find_word(text, at, word)); at++) {
        const char *next = skip_space(at + strlen(word));
        if (*next == '=')
            next = skip_space(next + 1);
        char *end;
        *value = strtoull(next, &end, 0);
        if (isdigit((unsigned char)*next) && !is_word(*end) && *skip_space(end) != '*')
            return true;
    }
    return false;
}

/* A sum or product of numbers and defined words, evaluated from left to right: "TILE + 1". */
static bool evaluate(const char *text, const char *at, const char *end, uint64_t *result)
{
    char sign = '+';
    *result = 0;
    while ((at = skip_space(at)) < end) {
        char word[64];
        size_t size = 0;
        while (at + size < end && is_word(at[size]) && size + 1 < sizeof word)
            size++;
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        uint64_t value = strtoull(word, NULL, 0);
        if (size == 0 || (!isdigit((unsigned char)*word) && !word_value(text, word, &value)))
            return false;
        *result = sign == '*' ? *result * value : sign == '-' ? *result - value : *result + value;
        at = skip_space(at + size);
        if (at >= end)
            return true;
        sign = *at++;
        if (!strchr("+-*", sign))
            return false;
    }
    return false;
}

unsigned source_shape(const char *file, const char *name, uint64_t *dims, unsigned most)
{
    char brackets[160];
    const char *text = source_text(file);
    unsigned count = 0;
    if (!text || !source_dimensions(file, name, brackets, sizeof brackets))
        return 0;
    for (const char *at = brackets; *at == '[' && count < most; count++) {
        const char *end = skip_brackets(at);
        if (!end || !evaluate(text, at + 1, end - 1, &dims[count]) || dims[count] == 0)
            return 0;
        at = skip_space(end);
    }
    return count;
}

static const char *line_start(const char *text, uint32_t line)
{
    for (uint32_t i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

/* The end of the statement whose header's parenthesis closes before at: a block or one simple statement. */
static const char *statement_end(const char *at)
{
    at = skip_space(at);
    if (*at == '{')
        return skip_brackets(at);
    int depth = 0;
    for (; *at; at++) {
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        if (depth == 0 && (*at == ';' || *at == '}'))
            return at + 1;
    }
    return at;
}

/* The end of the control statement that begins at at, its else branches included; NULL: it is none. */
static const char *control_end(const char *at)
{
    static const char *const words[] = {"if", "for", "while", "switch"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if (strncmp(at, words[i], size) != 0 || is_word(at[size]))
            continue;
        const char *open = skip_space(at + size);
        if (*open != '(')
            return NULL;
        const char *end = skip_brackets(open);
        end = end ? statement_end(end) : NULL;
        while (end && i == 0 && strncmp(skip_space(end), "else", 4) == 0) {
            const char *rest = skip_space(skip_space(end) + 4);
            const char *nested = control_end(rest);
            end = nested ? nested : statement_end(rest);
        }
        return end;
    }
    return NULL;
}

bool source_encloses(const char *file, uint32_t outer, uint32_t inner)
{
    const char *text = source_text(file);
    const char *at = text ? line_start(text, outer) : NULL;
    const char *target = text ? line_start(text, inner) : NULL;
    if (!at || !target)
        return false;
    const char *line_end = strchr(at, '\n');
    const char *target_end = strchr(target, '\n');
    target_end = target_end ? target_end : target + strlen(target);
    for (const char *p = at; *p && p != line_end; p++) {
        if (p > text && is_word(p[-1]))
            continue;
        const char *end = control_end(p);
        if (end && target >= at && end > target) {
            /* on one line with it: the body must hold the call itself */
            const char *call = strstr(target, "sync");
            return outer != inner || (call && call < target_end && call < end);
        }
    }
    return false;
}

const char *source_file_of(const struct function *function)
{
    const struct ptx_module *ptx = function->module ? function->module->ptx : NULL;
    const struct ptx_func *func = function->ptx;
    for (size_t i = 0; ptx && func && i < func->ninsns; i++)
        for (uint32_t loc = func->insns[i].loc; loc && loc < ptx->nlocs; loc = ptx->locs[loc].inlined_at)
            if (!ptx->locs[loc].inlined_at && ptx->locs[loc].file && ptx->locs[loc].file < ptx->nfiles)
                return ptx->files[ptx->locs[loc].file];
    return "";
}

bool is_toolkit_file(const char *path)
{
    static const char *const marks[] = {"/cuda/include/",     "/usr/include/", "/usr/lib/", "/usr/local/cuda",
                                        "crt/host_runtime.h", ".cudafe1.",     ".fatbin.c"};
    const char *target = strstr(path, "/targets/");
    if (target && strstr(target, "/include/"))
        return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(path, marks[i]))
            return true;
    return false;
}

void name_of_path(const char *path, char *out, size_t size)
{
    char here[4096];
    if (path[0] == '/' && getcwd(here, sizeof here)) {
        size_t length = strlen(here);
        if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/')
            path += length + 1;
    }
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    snprintf(out, size, "%s", path);
}

/* ------------------------------------------------------------------------------------------- positions */

uint32_t own_loc(const struct ptx_module *module, uint32_t loc)
{
    uint32_t fallback = loc;
    for (int depth = 0; loc && loc < module->nlocs && depth < 64; depth++) {
        const struct ptx_loc *at = &module->locs[loc];
        if (at->file && at->file < module->nfiles && !is_toolkit_file(module->files[at->file]))
            return loc;
        loc = at->inlined_at;
    }
    return fallback < module->nlocs ? fallback : 0;
}

void name_of_loc(const struct ptx_module *module, uint32_t loc, char *out, size_t size)
{
    uint32_t own = own_loc(module, loc);
    if (!own || !module->locs[own].file || module->locs[own].file >= module->nfiles) {
        snprintf(out, size, "unknown line (compile with -lineinfo)");
        return;
    }
    char path[400];
    name_of_path(module->files[module->locs[own].file], path, sizeof path);
    snprintf(out, size, "%s:%u", path, module->locs[own].line);
}
