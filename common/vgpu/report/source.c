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

enum { MAX_SOURCE_BYTES = 8 << 20, MAX_SOURCES = 64, MAX_LINE = 4096 };

struct source {
    char *path;
    char *text; /* NULL: cannot be read */
};

static struct source sources[MAX_SOURCES];
static size_t nsources;
static char *only_path, *only_name; /* of source_only(); NULL: every file may be read */
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

void source_only(const char *path, const char *name)
{
    char *new_path = strdup(path), *new_name = strdup(name);
    pthread_mutex_lock(&sources_lock);
    free(only_path);
    free(only_name);
    only_path = new_path ? new_path : strdup("");
    only_name = new_name;
    pthread_mutex_unlock(&sources_lock);
}

/* The file to read for a name of the line tables; NULL: none. Names come from whoever wrote the program: once there is an
 * only file, no other one is opened, whatever they say. */
static const char *permitted(const char *name)
{
    if (!only_path)
        return name;
    const char *last = strrchr(name, '/');
    const bool is_it =
        only_name && (strcmp(name, only_name) == 0 || (last && strcmp(last + 1, only_name) == 0));
    return is_it ? only_path : NULL;
}

/* The slot of a file, read now if it is new; NULL: there is no room for more. */
static struct source *find_source(const char *path)
{
    size_t i = 0, size;
    while (i < nsources && strcmp(sources[i].path, path) != 0)
        i++;
    if (i < nsources)
        return &sources[i];
    if (nsources == MAX_SOURCES || !(sources[i].path = strdup(path)))
        return NULL;
    sources[i].text = file_read(path, MAX_SOURCE_BYTES, !only_path, &size);
    if (sources[i].text)
        blank_comments(sources[i].text);
    nsources++;
    return &sources[i];
}

/* The blanked text of a file, or NULL. It stays valid for the life of the program. */
static const char *source_text(const char *name)
{
    pthread_mutex_lock(&sources_lock);
    const char *path = permitted(name);
    const struct source *source = path ? find_source(path) : NULL;
    pthread_mutex_unlock(&sources_lock);
    return source ? source->text : NULL;
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

/* True if the declaration in which at stands says the word: none of the characters that end one lies between the two. */
static bool declares(const char *begin, const char *at, const char *word, const char *ends)
{
    enum { FAR = 600 };
    const size_t size = strlen(word);
    for (const char *back = at; back > begin && at - back < FAR; back--) {
        if (strchr(ends, back[-1]))
            return false;
        if (strncmp(back - 1, word, size) == 0)
            return true;
    }
    return false;
}

static bool is_kernel_declaration(const char *begin, const char *at)
{
    return declares(begin, at, "__global__", ";}");
}

static bool is_shared_declaration(const char *begin, const char *at)
{
    return declares(begin, at, "__shared__", ";{}");
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
        if (*open != '[' || !is_shared_declaration(text, at))
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

bool source_line(const char *file, uint32_t line, char *out, size_t size)
{
    const char *text = source_text(file), *begin = text && line ? line_start(text, line) : NULL;
    if (!begin)
        return false;
    begin += strspn(begin, " \t");
    size_t length = strcspn(begin, "\n");
    while (length && isspace((unsigned char)begin[length - 1]))
        length--;
    snprintf(out, size, "%.*s", (int)(length < MAX_LINE ? length : MAX_LINE), begin);
    return length > 0;
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

static bool begins_with_word(const char *at, const char *word)
{
    const size_t size = strlen(word);
    return strncmp(at, word, size) == 0 && !is_word(at[size]);
}

/* The end of a statement with a header in parentheses, without what an else adds: `if (...) ...`; NULL: it is none. */
static const char *headed_end(const char *at, const char *word)
{
    if (!begins_with_word(at, word))
        return NULL;
    const char *open = skip_space(at + strlen(word));
    const char *end = *open == '(' ? skip_brackets(open) : NULL;
    return end ? statement_end(end) : NULL;
}

static const char *loop_end(const char *at)
{
    static const char *const words[] = {"for", "while", "switch"};
    const char *end = NULL;
    for (size_t i = 0; !end && i < sizeof words / sizeof *words; i++)
        end = headed_end(at, words[i]);
    return end;
}

/* The end of the control statement that begins at at, its else branches included; NULL: it is none. A chain of else-ifs is
 * followed without recursion: it may be as long as the file. */
static const char *control_end(const char *at)
{
    const char *end = headed_end(at, "if");
    if (!end)
        return loop_end(at);
    while (begins_with_word(skip_space(end), "else")) {
        const char *rest = skip_space(skip_space(end) + strlen("else"));
        const char *next = headed_end(rest, "if");
        if (next) {
            end = next;
            continue;
        }
        next = loop_end(rest);
        return next ? next : statement_end(rest);
    }
    return end;
}

bool source_encloses(const char *file, uint32_t outer, uint32_t inner)
{
    const char *text = source_text(file);
    const char *at = text ? line_start(text, outer) : NULL;
    const char *target = text ? line_start(text, inner) : NULL;
    if (!at || !target)
        return false;
    const char *line_end = at + strcspn(at, "\n"), *target_end = target + strcspn(target, "\n");
    if (line_end - at > MAX_LINE)
        return false; /* nobody writes such lines */
    for (const char *p = at; p < line_end; p++) {
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
