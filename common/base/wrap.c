/* wrap.c - see wrap.h. Knows nothing of colours: marks and words that steer a terminal would be counted as text. */
#include "base/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static int columns_of_environment(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    const long columns = text ? strtol(text, &end, 10) : 0;
    return text && end != text && !*end && columns > 0 && columns < 10000 ? (int)columns : 0;
}

static int columns_of_terminal(int descriptor)
{
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int wrap_columns(int descriptor)
{
    int columns = columns_of_environment();
    if (!columns)
        columns = columns_of_terminal(descriptor);
    if (!columns)
        columns = WRAP_USUAL;
    return columns < WRAP_FEWEST ? WRAP_FEWEST : columns > WRAP_MOST ? WRAP_MOST : columns;
}

/* Columns of a word; continuation bytes of UTF-8 take none. */
static int width(const char *word, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)word[i] & 0xc0) != 0x80;
    return columns;
}

void wrap_line(FILE *file, int columns, int indent, const char *mark, const char *line, size_t length)
{
    const size_t spaces = strspn(line, " "), own = spaces < length ? spaces : length;
    const int margin = indent + (int)strlen(mark) + (int)own;
    int at = fprintf(file, "%*s%s%*s", indent, "", mark, (int)own, "");
    bool is_first = true;
    for (size_t i = own; i < length;) {
        size_t word = strcspn(line + i, " \t\n");
        if (strncmp(line + i + word, " %", 2) == 0) /* stays with its number */
            word += 2 + strcspn(line + i + word + 2, " \t\n");
        if (word > length - i)
            word = length - i;
        const int wide = width(line + i, word);
        if (!is_first && at + 1 + wide > columns) {
            at = fprintf(file, "\n%*s", margin, "") - 1;
            is_first = true;
        }
        if (!is_first)
            at += fprintf(file, " ");
        fwrite(line + i, 1, word, file);
        at += wide;
        is_first = false;
        i += word;
        i += strspn(line + i, " \t");
    }
    putc('\n', file);
}

void wrap_text(FILE *file, int columns, int indent, const char *mark, const char *text, int most_lines)
{
    while (*text && most_lines-- > 0) {
        const size_t length = strcspn(text, "\n");
        wrap_line(file, columns, indent, mark, text, length);
        text += length + (text[length] == '\n');
    }
    if (*text)
        fprintf(file, "%*s...\n", indent, "");
}

void wrap_end_at_word(char *text, size_t size)
{
    static const char rest[] = " ...";
    size_t length = strlen(text);
    if (length + 1 < size || length < sizeof rest)
        return;
    length -= sizeof rest - 1;
    while (length > 0 && text[length] != ' ')
        length--;
    if (length > 0)
        memcpy(text + length, rest, sizeof rest);
}
