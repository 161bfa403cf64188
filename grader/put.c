/* put.c - see put.h. Knows nothing of labs and points. */
#define _GNU_SOURCE
#include "grader/put.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/wrap.h"

static const char *const codes[] = {[PLAIN] = "\033[0m",   [BOLD] = "\033[1m", [GREEN] = "\033[32m",
                                    [YELLOW] = "\033[33m", [RED] = "\033[31m", [DIM] = "\033[2m"};

static bool has_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

void paint(enum paint with)
{
    if (has_colour())
        fputs(codes[with], stdout);
}

void painted(enum paint with, const char *format, ...)
{
    va_list list;
    paint(with);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    paint(PLAIN);
}

int put_columns(void)
{
    return wrap_columns(STDOUT_FILENO);
}

int put_width(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WRAP_USUAL;
}

/* The first of these that says something is what setlocale() would follow, whether or not that locale is installed. */
bool put_has_utf8_on(int descriptor)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !(locale && *locale); i++)
        locale = getenv(variables[i]);
    return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8")) && isatty(descriptor);
}

bool put_has_utf8(void)
{
    return put_has_utf8_on(STDOUT_FILENO);
}

void put_marked(const char *mark, const char *text, int indent, int most_lines)
{
    char *plain = utf8_plain(text);
    wrap_text(stdout, put_columns(), indent, mark, plain ? plain : "", most_lines);
    free(plain);
}

void put_text(const char *text, int indent, int most_lines)
{
    put_marked("", text, indent, most_lines);
}

void put_words(int indent, const char *format, ...)
{
    char text[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put_text(text, indent, 1000);
}

void put_name(const char *name, int columns)
{
    char *plain = utf8_line(name);
    int used = 0, length;
    for (const char *at = plain ? plain : ""; *at && used < columns; at += length, used++) {
        length = utf8_length((const unsigned char *)at);
        printf("%.*s", length, at);
    }
    printf("%*s", columns + 1 - used, "");
    free(plain);
}
