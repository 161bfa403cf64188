/* printf.c - formats what a kernel prints.
 * The format comes from the device and may be anything: every directive is parsed here and handed to the C library one
 * at a time, rebuilt from what was understood. Nothing is read past the argument buffer; what lies beyond reads as 0.
 * Where the text goes is builtins.c's affair. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "exec/builtins.h"

enum { MAX_WIDTH = 1 << 16, MAX_STRING = 1 << 16 };

/* What is known of a conversion letter: what it takes from the buffer. */
enum argument { TAKES_NOTHING, TAKES_INTEGER, TAKES_DOUBLE, TAKES_POINTER, TAKES_STRING, TAKES_CHAR };

static enum argument argument_of(char letter)
{
    static const struct {
        const char *letters;
        enum argument argument;
    } rows[] = {{"diouxX", TAKES_INTEGER},
                {"fFeEgGaA", TAKES_DOUBLE},
                {"p", TAKES_POINTER},
                {"s", TAKES_STRING},
                {"c", TAKES_CHAR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (letter && strchr(rows[i].letters, letter))
            return rows[i].argument;
    return TAKES_NOTHING;
}

/* %[flags][width][.precision][length]letter. */
struct directive {
    char flags[8];
    bool has_width, has_precision, star_width, star_precision;
    int width, precision;
    int length; /* -2 hh, -1 h, 0 none, 1: 64 bits (l, ll, z, t, j, q) */
    char letter;
    size_t size; /* characters of the format */
};

static size_t parse_flags(const char *text, struct directive *out)
{
    size_t n = 0, kept = 0;
    for (; text[n] && strchr("-+ #0", text[n]); n++)
        if (!strchr(out->flags, text[n]) && kept + 1 < sizeof out->flags)
            out->flags[kept++] = text[n];
    return n;
}

static size_t parse_number(const char *text, int *value)
{
    size_t n = 0;
    *value = 0;
    for (; text[n] >= '0' && text[n] <= '9'; n++)
        *value = *value * 10 + (text[n] - '0') > MAX_WIDTH ? MAX_WIDTH : *value * 10 + (text[n] - '0');
    return n;
}

static size_t parse_length(const char *text, int *length)
{
    size_t n = 0;
    *length = 0;
    for (; text[n] && strchr("hlzjtqL", text[n]) && n < 2; n++)
        *length = text[n] == 'h' ? *length - 1 : text[n] == 'L' ? *length : 1;
    return n;
}

/* text[0] is '%'. False: it is no directive that is understood. */
static bool parse_directive(const char *text, struct directive *out)
{
    memset(out, 0, sizeof *out);
    size_t n = 1;
    n += parse_flags(text + n, out);
    if (text[n] == '*') {
        out->star_width = out->has_width = true;
        n++;
    } else {
        const size_t digits = parse_number(text + n, &out->width);
        out->has_width = digits > 0;
        n += digits;
    }
    if (text[n] == '.') {
        out->has_precision = true;
        if (text[++n] == '*') {
            out->star_precision = true;
            n++;
        } else {
            n += parse_number(text + n, &out->precision);
        }
    }
    n += parse_length(text + n, &out->length);
    out->letter = text[n];
    out->size = n + 1;
    return text[n] == '%' || argument_of(text[n]) != TAKES_NOTHING;
}

/* ------------------------------------------------------------------------------------------- arguments */

struct cursor {
    const uint8_t *args;
    size_t size, at;
    int taken;
};

static uint64_t take(struct cursor *cursor, size_t bytes)
{
    uint64_t value = 0;
    cursor->at = (cursor->at + bytes - 1) & ~(bytes - 1);
    if (cursor->args && cursor->at <= cursor->size && bytes <= cursor->size - cursor->at)
        memcpy(&value, cursor->args + cursor->at, bytes);
    cursor->at += bytes;
    cursor->taken++;
    return value;
}

static size_t argument_bytes(const struct directive *directive)
{
    const enum argument argument = argument_of(directive->letter);
    return argument == TAKES_CHAR || (argument == TAKES_INTEGER && directive->length < 1) ? 4 : 8;
}

static void take_stars(struct cursor *cursor, struct directive *directive)
{
    if (directive->star_width) {
        const int width = (int)(int32_t)take(cursor, 4);
        if (width < 0 && !strchr(directive->flags, '-'))
            directive->flags[strlen(directive->flags)] = '-';
        const int64_t positive = width < 0 ? -(int64_t)width : width;
        directive->width = positive > MAX_WIDTH ? MAX_WIDTH : (int)positive;
    }
    if (directive->star_precision) {
        const int precision = (int)(int32_t)take(cursor, 4);
        directive->has_precision = precision >= 0;
        directive->precision = precision > MAX_WIDTH ? MAX_WIDTH : precision;
    }
}

size_t device_printf_args_size(const char *format)
{
    struct cursor cursor = {NULL, 0, 0, 0};
    struct directive directive;
    while ((format = strchr(format, '%')) != NULL) {
        if (!parse_directive(format, &directive)) {
            format++;
            continue;
        }
        take_stars(&cursor, &directive);
        if (directive.letter != '%')
            take(&cursor, argument_bytes(&directive));
        format += directive.size;
    }
    return cursor.at;
}

/* ------------------------------------------------------------------------------------------- output */

struct sink {
    char *out;
    size_t size, length;
};

static void put(struct sink *output, const char *text, size_t size)
{
    const size_t room = output->length < output->size ? output->size - output->length : 0;
    memcpy(output->out + (room ? output->length : 0), text, size < room ? size : room);
    output->length += size;
}

/* One value through the C library, with the directive rebuilt for the C type of the value. */
static void __attribute__((format(printf, 2, 0))) put_formatted(struct sink *output, const char *spec, ...)
{
    char small[512];
    va_list list, again;
    va_start(list, spec);
    va_copy(again, list);
    const int length = vsnprintf(small, sizeof small, spec, list);
    if (length > 0 && (size_t)length < sizeof small) {
        put(output, small, (size_t)length);
    } else if (length > 0) {
        char *large = malloc((size_t)length + 1);
        if (large) {
            vsnprintf(large, (size_t)length + 1, spec, again);
            put(output, large, (size_t)length);
            free(large);
        }
    }
    va_end(again);
    va_end(list);
}

static void make_spec(const struct directive *directive, const char *length, char *out, size_t size)
{
    int n = snprintf(out, size, "%%%s", directive->flags);
    if (directive->has_width)
        n += snprintf(out + n, size - (size_t)n, "%d", directive->width);
    if (directive->has_precision)
        n += snprintf(out + n, size - (size_t)n, ".%d", directive->precision);
    snprintf(out + n, size - (size_t)n, "%s%c", length, directive->letter);
}

static void put_string(struct sink *output, struct directive *directive, uint64_t address, read_byte_fn *read,
                       void *context)
{
    const size_t limit = directive->has_precision ? (size_t)directive->precision : MAX_STRING;
    size_t length = 0, capacity = 0;
    char *text = NULL, byte = 0;
    bool is_readable = address != 0;
    while (is_readable && length < limit) {
        char *larger = list_reserve(text, &capacity, length + 1, 1);
        if (!larger)
            break;
        text = larger;
        is_readable = read(context, address + length, &byte);
        if (!is_readable || !byte)
            break;
        text[length++] = byte;
    }
    char spec[64];
    const char *shown = text ? text : "";
    if (!is_readable && length == 0) {
        shown = address ? "(unreadable string)" : "(null)";
        length = strlen(shown);
    }
    directive->has_precision = true;
    directive->precision = (int)length;
    make_spec(directive, "", spec, sizeof spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    put_formatted(output, spec, shown);
    free(text);
}

static void put_integer(struct sink *output, const struct directive *directive, uint64_t bits)
{
    static const char *const lengths[] = {"hh", "h", "", "ll"};
    char spec[64];
    make_spec(directive, lengths[(directive->length < -2 ? -2 : directive->length) + 2], spec, sizeof spec);
    if (directive->length > 0)
        put_formatted(output, spec, (unsigned long long)bits);
    else
        put_formatted(output, spec, (unsigned int)bits);
}

static void put_value(struct sink *output, struct directive *directive, uint64_t bits, read_byte_fn *read,
                      void *context)
{
    char spec[64];
    double value;
    make_spec(directive, "", spec, sizeof spec);
    switch (argument_of(directive->letter)) {
    case TAKES_INTEGER:
        put_integer(output, directive, bits);
        break;
    case TAKES_DOUBLE:
        memcpy(&value, &bits, sizeof value);
        put_formatted(output, spec, value);
        break;
    case TAKES_POINTER:
        put_formatted(output, spec, (void *)(uintptr_t)bits);
        break;
    case TAKES_CHAR:
        put_formatted(output, spec, (int)(int32_t)bits);
        break;
    case TAKES_STRING:
        put_string(output, directive, bits, read, context);
        break;
    case TAKES_NOTHING:
        break;
    }
}
#pragma GCC diagnostic pop

size_t device_printf(char *out, size_t size, const char *format, const uint8_t *args, size_t args_size,
                     read_byte_fn *read, void *context, int *count)
{
    struct sink output = {out, size, 0};
    struct cursor cursor = {args, args_size, 0, 0};
    while (*format) {
        const size_t plain = strcspn(format, "%");
        put(&output, format, plain);
        format += plain;
        struct directive directive;
        if (!*format)
            break;
        if (!parse_directive(format, &directive)) { /* shown as it was written */
            put(&output, format++, 1);
            continue;
        }
        take_stars(&cursor, &directive);
        if (directive.letter == '%')
            put(&output, "%", 1);
        else
            put_value(&output, &directive, take(&cursor, argument_bytes(&directive)), read, context);
        format += directive.size;
    }
    if (count)
        *count = cursor.taken;
    return output.length;
}
