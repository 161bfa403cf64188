/* json.c - a small writer of JSON: see json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------- texts */

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        const int length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", file);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(file, "\\u%04x", *s);
        else if (length == 2 && utf8_is_control(s))
            fprintf(file, "\\u%04x", s[1]); /* U+0080 to U+009F: the second byte is the number */
        else if (length)
            fwrite(s, 1, (size_t)length, file);
        else
            fputs("\\ufffd", file);
        s += length ? length : 1;
    }
    fputc('"', file);
}

/* ------------------------------------------------------------------------------------------- order */

/* What stands before every value: comma, line break, key. */
static void begin(struct json *json, const char *key)
{
    if (json->has_before)
        fputc(',', json->file);
    if (json->wants_line)
        fputc('\n', json->file);
    json->has_before = true;
    json->wants_line = false;
    if (!key)
        return;
    put_text(json->file, key);
    fputc(':', json->file);
}

static void open_bracket(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->file);
    json->has_before = false;
}

static void close_bracket(struct json *json, char bracket)
{
    if (json->wants_line)
        fputc('\n', json->file);
    json->wants_line = false;
    fputc(bracket, json->file);
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
    begin(json, key);
    fprintf(json->file, "%" PRIu64, value);
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
            fputc(*digits, file);
        else if (strchr(usual, digits[1]))
            fputc('.', file); /* the last byte of the separator */
    }
}

void json_number(struct json *json, const char *key, double value)
{
    char digits[40];
    begin(json, key);
    if (!isfinite(value)) {
        fputs("null", json->file);
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
        fputs("null", json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json, const char *key)
{
    begin(json, key);
    fputs("null", json->file);
}

void json_raw(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    fputs(text, json->file);
}
