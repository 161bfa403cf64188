/* screen.c - see screen.h. No state of the terminal is changed, so none has to be put back, however this program ends. */
#define _GNU_SOURCE
#include "grader/screen.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_ROWS = 24, USUAL_COLUMNS = 80, TAB = 8 };
#define HOME     "\033[H"
#define TO_RIGHT "\033[K"
#define TO_END   "\033[J"

static void find_size(int *rows, int *columns)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    *rows = size.ws_row ? size.ws_row : USUAL_ROWS;
    *columns = size.ws_col ? size.ws_col : USUAL_COLUMNS;
}

void screen_open(struct screen *screen)
{
    const char *term = getenv("TERM");
    *screen = (struct screen){.is_terminal = isatty(STDOUT_FILENO) && !(term && strcmp(term, "dumb") == 0),
                              .out = stdout};
    find_size(&screen->rows, &screen->columns);
    for (int i = 1; screen->is_terminal && i < screen->rows; i++)
        putc('\n', screen->out);
}

static void forget(struct screen *screen)
{
    if (screen->body)
        fclose(screen->body);
    free(screen->text);
    screen->body = NULL;
    screen->text = NULL;
    screen->bytes = 0;
}

void screen_close(struct screen *screen)
{
    screen_give(screen);
    forget(screen);
    fflush(screen->out);
}

void screen_begin(struct screen *screen)
{
    forget(screen);
    if (screen->is_terminal)
        screen->body = open_memstream(&screen->text, &screen->bytes);
}

/* Reports print to stdout, which is a variable: they need not know who reads them. */
void screen_take(struct screen *screen)
{
    if (screen->body)
        stdout = screen->body;
}

void screen_give(struct screen *screen)
{
    if (screen->body)
        fflush(screen->body);
    stdout = screen->out;
    if (!screen->is_terminal)
        fflush(stdout);
}

bool screen_is_stale(const struct screen *screen)
{
    int rows, columns;
    find_size(&rows, &columns);
    return screen->is_terminal && (rows != screen->rows || columns != screen->columns);
}

bool screen_has_reader(const struct screen *screen)
{
    struct pollfd one = {.fd = STDOUT_FILENO};
    return !ferror(screen->out) && !(poll(&one, 1, 0) > 0 && one.revents & (POLLERR | POLLHUP));
}

/* ------------------------------------------------------------------------------------------- lines that fit */

/* Columns of the character that begins here: what Asia writes takes two, and more than enough is counted for it. */
static int width_of(const unsigned char *s)
{
    return (*s >= 0xe3 && *s != 0xee) ? 2 : 1;
}

static size_t length_of_escape(const char *s)
{
    return strncmp(s, "\033[", 2) == 0 ? 2 + strcspn(s + 2, "m") + 1 : 0;
}

static size_t length_of_character(const char *s)
{
    size_t length = 1;
    while (((unsigned char)s[length] & 0xc0) == 0x80)
        length++;
    return length;
}

/* Up to the terminal's edge. Colours take no room: those behind the edge are set all the same, for the lines below. */
static void put_line(FILE *out, const char *line, size_t length, int columns)
{
    int used = 0;
    for (size_t i = 0, step; i < length; i += step) {
        const size_t escape = length_of_escape(line + i);
        const int room = line[i] == '\t' ? TAB - used % TAB : width_of((const unsigned char *)line + i);
        step = escape ? escape : length_of_character(line + i);
        if (!escape && (used += room) > columns)
            continue;
        if (line[i] == '\t')
            fprintf(out, "%*s", room, "");
        else
            fwrite(line + i, 1, step, out);
    }
    fputs(TO_RIGHT, out);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void put_lines(FILE *out, const char *text, int most, int columns)
{
    for (int i = 0; i < most && *text; i++) {
        const size_t length = strcspn(text, "\n");
        put_line(out, text, length, columns);
        putc('\n', out);
        text += length + (text[length] == '\n');
    }
}

/* The last row stays free: a line break in it would move all others. */
void screen_draw(struct screen *screen, const char *below)
{
    const char *text = screen->text ? screen->text : "";
    const int lines = count_lines(text), last = count_lines(below);
    if (!screen->is_terminal)
        return;
    find_size(&screen->rows, &screen->columns);
    int room = screen->rows - 1 - last;
    const bool is_cut = lines > room;
    room = is_cut ? room - 1 : room;
    fputs(HOME, screen->out);
    put_lines(screen->out, text, room > 0 ? room : 0, screen->columns);
    if (is_cut && room >= 0) {
        char more[100];
        const int length = snprintf(more, sizeof more, "     (%d more lines: they need a higher window)",
                                    lines - (room > 0 ? room : 0));
        put_line(screen->out, more, (size_t)length, screen->columns);
        putc('\n', screen->out);
    }
    put_lines(screen->out, below, screen->rows - 1, screen->columns);
    fputs(TO_END, screen->out);
    fflush(screen->out);
}
