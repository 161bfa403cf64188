/* place.c - see place.h. A line is read by parts, each of which may be missing: who speaks, how grave it is, the file, the
 * line, how grave it is in the compiler's order. What comes behind is passed on. */
#define _GNU_SOURCE
#include "grader/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How grave a line is: in the words of those who speak, and in those that editors know. */
static const struct severity {
    const char *word, *told;
} severities[] = {
    {"catastrophic error", "error"}, {"fatal error", "error"}, {"error", "error"}, {"race", "error"},
    {"warning", "warning"},          {"remark", "note"},       {"note", "note"}};

struct place {
    const char *severity;
    unsigned line, column; /* 0: there is none */
    const char *code;      /* nvcc's number of a warning, "#177-D" */
    size_t code_length;
    const char *rest;
};

static bool skip(const char **at, const char *what)
{
    const size_t length = strlen(what);
    if (strncmp(*at, what, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool skip_number(const char **at, unsigned *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *number = (unsigned)strtoul(*at, &end, 10);
    *at = end;
    return true;
}

/* "error: ", "warning #177-D: ". */
static void take_severity(const char **at, struct place *out)
{
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        const char *behind = *at;
        if (!skip(&behind, severities[i].word))
            continue;
        const char *code = behind + 1;
        const size_t length = strncmp(behind, " #", 2) == 0 ? strcspn(code, ": \n") : 0;
        if (length)
            behind = code + length;
        if (!skip(&behind, ": "))
            continue;
        out->severity = severities[i].told;
        out->code = length ? code : NULL;
        out->code_length = length;
        *at = behind;
        return;
    }
}

/* "(47): ", ":47: ", ":47:5: ". */
static bool take_line(const char **at, struct place *out)
{
    if (skip(at, "("))
        return skip_number(at, &out->line) && skip(at, "): ");
    if (!skip(at, ":") || !skip_number(at, &out->line) || !skip(at, ":"))
        return false;
    if (skip_number(at, &out->column) && !skip(at, ":"))
        return false;
    return skip(at, " ");
}

static bool read_place(const char *line, const char *shown, struct place *out)
{
    const char *at = line;
    *out = (struct place){.severity = NULL};
    skip(&at, "vgpu: ");
    take_severity(&at, out);
    if (!skip(&at, shown) || !take_line(&at, out))
        return false;
    if (!out->severity)
        take_severity(&at, out);
    if (!out->severity)
        out->severity = "error";
    out->rest = at;
    return true;
}

bool place_is_first(const char *text, const char *shown)
{
    struct place place;
    return read_place(text, shown, &place);
}

static void put_place(FILE *file, const struct place *place, const char *path, size_t rest)
{
    fprintf(file, "%s:%u:", path, place->line);
    if (place->column)
        fprintf(file, "%u:", place->column);
    fprintf(file, " %s: %.*s", place->severity, (int)rest, place->rest);
    if (place->code)
        fprintf(file, " [%.*s]", (int)place->code_length, place->code);
}

/* "With width 1, height 1: lab3.cu:58: ...": what comes before the place has a line of its own. 0: it is no such line. */
static size_t case_length(const char *line, size_t length, const char *shown)
{
    static const char with[] = "With ";
    char name[320];
    const int size = snprintf(name, sizeof name, ": %s", shown);
    const char *hit = strncmp(line, with, sizeof with - 1) == 0 && size < (int)sizeof name
                          ? memmem(line, length, name, (size_t)size)
                          : NULL;
    return hit && place_is_first(hit + 2, shown) ? (size_t)(hit + 1 - line) : 0;
}

char *place_text(const char *text, const char *shown, const char *path)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    if (!file)
        return NULL;
    while (*text) {
        struct place place;
        size_t length = strcspn(text, "\n");
        const size_t before = case_length(text, length, shown);
        if (before) {
            fprintf(file, "%.*s\n", (int)before, text);
            text += before + 1;
            length -= before + 1;
        }
        if (read_place(text, shown, &place))
            put_place(file, &place, path, (size_t)(text + length - place.rest));
        else
            fwrite(text, 1, length, file);
        text += length;
        if (*text == '\n')
            putc(*text++, file);
    }
    const bool is_whole = !ferror(file);
    if (fclose(file) == 0 && is_whole)
        return out;
    free(out);
    return NULL;
}
