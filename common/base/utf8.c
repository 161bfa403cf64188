/* utf8.c - text of unknown origin: see utf8.h. */
#define _GNU_SOURCE
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char from, to, second_from, second_to;
        int length;
    } rows[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (*s < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].from || s[0] > rows[i].to || s[1] < rows[i].second_from ||
            s[1] > rows[i].second_to)
            continue;
        for (int k = 2; k < rows[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return rows[i].length;
    }
    return 0;
}

char *utf8_put(char *to, uint32_t code)
{
    static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)(marks[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | (code >> (6 * i) & 0x3f));
    return to;
}

/* C0, DEL, C1 (U+0080 to U+009F), the marks of direction: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; and the line
 * breaks U+2028 and U+2029. */
bool utf8_is_control(const unsigned char *s)
{
    if (s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f) ||
        (s[0] == 0xd8 && s[1] == 0x9c))
        return true;
    return s[0] == 0xe2 &&
           ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

char *utf8_plain(const char *text)
{
    char *out = malloc(3 * strlen(text) + 1), *to = out;
    for (const unsigned char *s = (const unsigned char *)text; out && *s;) {
        const int length = utf8_length(s);
        const bool is_control = length && *s != '\n' && *s != '\t' && utf8_is_control(s);
        const char *by = !length ? "\xef\xbf\xbd" : is_control ? "?" : (const char *)s;
        const size_t size = !length ? 3 : is_control ? 1 : (size_t)length;
        memcpy(to, by, size);
        to += size;
        s += length ? length : 1;
    }
    if (out)
        *to = '\0';
    return out;
}

char *utf8_line(const char *text)
{
    char *out = utf8_plain(text + strspn(text, " \t\r\n"));
    size_t length = out ? strlen(out) : 0;
    for (size_t i = 0; i < length; i++)
        out[i] = out[i] == '\n' || out[i] == '\t' ? ' ' : out[i];
    while (length && out[length - 1] == ' ')
        out[--length] = '\0';
    return out;
}

char *utf8_name(const char *text)
{
    char *out = malloc(4 * strlen(text) + 1), *to = out;
    for (const unsigned char *s = (const unsigned char *)text; out && *s;) {
        const int length = utf8_length(s), bytes = length ? length : 1;
        const bool is_text = length && !utf8_is_control(s);
        for (int i = 0; i < bytes; i++, s++)
            to += is_text ? sprintf(to, "%c", *s) : sprintf(to, "\\x%02x", *s);
    }
    if (out)
        *to = '\0';
    return out;
}

char *utf8_person(const char *text)
{
    char *line = strdup(text + strspn(text, " \t\r\n")), *name = NULL;
    size_t length = line ? strlen(line) : 0;
    for (size_t i = 0; i < length; i++)
        line[i] = line[i] == '\n' || line[i] == '\t' || line[i] == '\r' ? ' ' : line[i];
    while (length && line[length - 1] == ' ')
        line[--length] = '\0';
    name = line ? utf8_name(line) : NULL;
    free(line);
    return name;
}
