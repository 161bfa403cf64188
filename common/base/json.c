/* json.c - a small writer of JSON: see json.h. Pages have hundred thousands of values: each is put together first and written in
 * one piece, without a lock for every byte. One thread at a time writes a file. */
#define _GNU_SOURCE
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------- texts */

static void put_char(FILE *file, char byte)
{
    putc_unlocked(byte, file);
}

static void put_bytes(FILE *file, const void *bytes, size_t count)
{
    fwrite_unlocked(bytes, 1, count, file);
}

static void put_word(FILE *file, const char *word)
{
    put_bytes(file, word, strlen(word));
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* One character that is not plain; gives the bytes that it takes. */
static size_t put_special(FILE *file, const unsigned char *s)
{
    const int length = utf8_length(s);
    if (*s == '"' || *s == '\\')
        fprintf(file, "\\%c", *s);
    else if (*s == '\n')
        put_word(file, "\\n");
    else if (*s < 0x20 || *s == 0x7f)
        fprintf(file, "\\u%04x", *s);
    else if (length == 2 && utf8_is_control(s))
        fprintf(file, "\\u%04x", s[1]); /* U+0080 to U+009F: the second byte is the number */
    else if (length)
        put_bytes(file, s, (size_t)length);
    else
        put_word(file, "\\ufffd");
    return length ? (size_t)length : 1;
}

static void put_text(FILE *file, const char *text)
{
    put_char(file, '"');
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        size_t plain = 0;
        while (is_plain(s[plain]))
            plain++;
        put_bytes(file, s, plain);
        s += plain;
        s += *s ? put_special(file, s) : 0;
    }
    put_char(file, '"');
}

/* ------------------------------------------------------------------------------------------- order */

/* What stands before every value: comma, line break, key. */
static void begin(struct json *json, const char *key)
{
    if (json->has_before)
        put_char(json->file, ',');
    if (json->wants_line)
        put_char(json->file, '\n');
    json->has_before = true;
    json->wants_line = false;
    if (!key)
        return;
    put_text(json->file, key);
    put_char(json->file, ':');
}

static void open_bracket(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    put_char(json->file, bracket);
    json->has_before = false;
}

static void close_bracket(struct json *json, char bracket)
{
    if (json->wants_line)
        put_char(json->file, '\n');
    json->wants_line = false;
    put_char(json->file, bracket);
    json->has_before = true;
}

void json_object(struct json *json, const char *key)
{
    open_bracket(json, key, '{');
}

void json_end_object(struct json *json)
{
    close_bracket(json, '}');
}

void json_list(struct json *json, const char *key)
{
    open_bracket(json, key, '[');
}

void json_end_list(struct json *json)
{
    close_bracket(json, ']');
}

void json_line(struct json *json)
{
    json->wants_line = true;
}

/* ------------------------------------------------------------------------------------------- values */

void json_text(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    put_text(json->file, text);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    char digits[20], *first = digits + sizeof digits;
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    begin(json, key);
    put_bytes(json->file, first, (size_t)(digits + sizeof digits - first));
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    begin(json, key);
    fprintf(json->file, "%" PRId64, value);
}

/* What the locale puts between whole and fraction becomes a point. */
static void put_number(FILE *file, const char *digits)
{
    static const char usual[] = "0123456789+-e";
    for (; *digits; digits++) {
        if (strchr(usual, *digits))
            put_char(file, *digits);
        else if (strchr(usual, digits[1]))
            put_char(file, '.'); /* the last byte of the separator */
    }
}

void json_number(struct json *json, const char *key, double value)
{
    char digits[40];
    begin(json, key);
    if (!isfinite(value)) {
        put_word(json->file, "null");
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    put_number(json->file, digits);
}

void json_fixed(struct json *json, const char *key, double value, int decimals)
{
    char digits[400]; /* the largest double has 309 digits before its point */
    begin(json, key);
    if (isfinite(value) && snprintf(digits, sizeof digits, "%.*f", decimals, value) < (int)sizeof digits)
        put_number(json->file, digits);
    else
        put_word(json->file, "null");
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    put_word(json->file, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
    begin(json, key);
    put_word(json->file, "null");
}

void json_raw(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    put_word(json->file, text);
}
