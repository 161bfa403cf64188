/* busy.c - see busy.h. There is one terminal, and so one line: it lives here and not in a session.
 * No threads and no timers: the line is drawn while the sandbox waits for its jobs, and gone whenever it does not. */
#define _GNU_SOURCE
#include "grader/busy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "grader/put.h"
#include "grader/sandbox/sandbox.h"

#define SILENCE_S 0.5
#define EVERY_S   0.12

static struct {
    char about[120], what[120];
    double spoke_s; /* when something was said last */
    double drawn_s;
    bool is_open, is_shown, is_utf8;
    unsigned frame;
} line;

static const char *const frames[2][8] = {
    {"|", "/", "-", "\\", "|", "/", "-", "\\"},
    {"\u28be", "\u28bd", "\u28bb", "\u287f", "\u289f", "\u28af", "\u28b7", "\u28f7"}};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A narrow terminal must not break the line: what stands in the row above could not be taken away. */
static void draw(double now)
{
    const int columns = put_width(STDERR_FILENO);
    char text[300];
    const int length = snprintf(text, sizeof text, "%s%s%s, %.0f s", line.about, *line.about ? ": " : "",
                                line.what, now - line.spoke_s);
    if (columns < 4)
        return;
    fprintf(stderr, "\r\033[K%s %.*s", frames[line.is_utf8][line.frame++ % 8],
            length < columns - 3 ? length : columns - 3, text);
    fflush(stderr);
    line.is_shown = true;
    line.drawn_s = now;
}

static void erase(void)
{
    if (line.is_shown)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    line.is_shown = false;
}

void busy_turn(void *context, bool is_over)
{
    (void)context;
    const double now = now_s();
    if (is_over)
        erase();
    else if (line.is_open && now - line.spoke_s >= SILENCE_S &&
             (!line.is_shown || now - line.drawn_s >= EVERY_S))
        draw(now);
}

void busy_spoke(void)
{
    line.spoke_s = now_s();
}

void busy_open(void)
{
    const char *term = getenv("TERM");
    line.is_open = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    line.is_utf8 = put_has_utf8_on(STDERR_FILENO);
    busy_spoke();
    sandbox_on_turn(busy_turn, NULL);
}

void busy_close(void)
{
    erase();
    line.is_open = false;
    sandbox_on_turn(NULL, NULL);
}

/* ------------------------------------------------------------------------------------------- what it says */

/* Names of files are a stranger's: what steers a terminal does not get there, nor do bytes that a cut could leave in halves. */
static void make_plain(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

void busy_about(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(line.about, sizeof line.about, format, list);
    va_end(list);
    make_plain(line.about);
}

void busy_doing(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(line.what, sizeof line.what, format, list);
    va_end(list);
    make_plain(line.what);
}

const char *busy_what(void)
{
    return line.what;
}
