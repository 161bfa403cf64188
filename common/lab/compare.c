/* compare.c - an output against what it should be, and the first difference in words.
 * When an element counts as right is element.h's business; every element is looked at, so numbers are exact.
 * Why a result is wrong is recognise.c's business. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lab/element.h"
#include "lab/lab.h"

/* ------------------------------------------------------------------------------------------- places */

static int rank_of(const struct lab_buffer *buffer)
{
    int rank = 0;
    while (rank < 3 && buffer->dims[rank] > 0)
        rank++;
    return rank;
}

void lab_coordinates(const struct lab_buffer *buffer, size_t i, char *out, size_t size)
{
    size_t x = buffer->dims[0] > 0 ? (size_t)buffer->dims[0] : 1;
    size_t y = buffer->dims[1] > 0 ? (size_t)buffer->dims[1] : 1;
    switch (rank_of(buffer)) {
    case 3:
        snprintf(out, size, "[layer %zu][row %zu][column %zu]", i / x / y, i / x % y, i % x);
        break;
    case 2:
        snprintf(out, size, "[row %zu][column %zu]", i / x, i % x);
        break;
    default:
        snprintf(out, size, "[%zu]", i);
    }
}

/* ------------------------------------------------------------------------------------------- values */

static void format_value(enum lab_type type, uint64_t bits, bool is_exact, char *out, size_t size)
{
    if (type == LAB_FLOAT || type == LAB_DOUBLE)
        snprintf(out, size, "%.*g", !is_exact ? 6 : type == LAB_FLOAT ? 9 : 17, element_value(type, bits));
    else if (type == LAB_INT || type == LAB_INT64)
        snprintf(out, size, "%" PRId64, type == LAB_INT ? (int64_t)(int32_t)bits : (int64_t)bits);
    else
        snprintf(out, size, "%" PRIu64, bits);
}

/* As few digits as show that the two differ. */
static void format_pair(enum lab_type type, uint64_t got, uint64_t want, char out[2][40])
{
    format_value(type, got, false, out[0], sizeof out[0]);
    format_value(type, want, false, out[1], sizeof out[1]);
    if (strcmp(out[0], out[1]) != 0)
        return;
    format_value(type, got, true, out[0], sizeof out[0]);
    format_value(type, want, true, out[1], sizeof out[1]);
}

/* ------------------------------------------------------------------------------------------- the whole */

/* Keeps the element that is furthest beyond what is allowed there. */
static void keep_worst(const struct lab_buffer *buffer, uint64_t got, uint64_t want,
                       struct lab_difference *out)
{
    const double right = element_value(buffer->type, want);
    const double error = element_is_poison(buffer->type, got)
                             ? (double)INFINITY
                             : element_error(element_value(buffer->type, got), right);
    const double allowed = element_allowed(buffer->relative, buffer->absolute, right);
    if (isinf(out->largest) || (out->wrong && error - allowed <= out->largest - out->allowed))
        return;
    out->largest = error;
    out->allowed = allowed;
}

static void count_differences(const struct lab_buffer *buffer, const void *expected,
                              struct lab_difference *out)
{
    enum lab_type type = buffer->type;
    for (size_t i = 0; i < buffer->count; i++) {
        uint64_t got = element_load(type, buffer->host, i), want = element_load(type, expected, i);
        out->wanted += !element_is_poison(type, want);
        if (element_matches(type, buffer->relative, buffer->absolute, got, want))
            continue;
        keep_worst(buffer, got, want, out);
        if (out->wrong++ == 0)
            out->first = i;
        out->unwritten += element_is_poison(type, got);
    }
}

static void describe_first(const struct lab_buffer *buffer, const void *expected, struct lab_difference *out)
{
    char place[80], values[2][40];
    uint64_t got = element_load(buffer->type, buffer->host, out->first);
    uint64_t want = element_load(buffer->type, expected, out->first);
    lab_coordinates(buffer, out->first, place, sizeof place);
    format_pair(buffer->type, got, want, values);
    if (element_is_poison(buffer->type, got))
        snprintf(out->text, sizeof out->text, "%s%s was never written, should be %s", buffer->name, place,
                 values[1]);
    else if (element_is_poison(buffer->type, want))
        snprintf(out->text, sizeof out->text, "%s%s was written (%s), but is not the kernel's to write",
                 buffer->name, place, values[0]);
    else
        snprintf(out->text, sizeof out->text, "%s%s is %s, should be %s", buffer->name, place, values[0],
                 values[1]);
}

static void describe_extent(const struct lab_buffer *buffer, struct lab_difference *out)
{
    size_t length = strlen(out->text), room = sizeof out->text - length;
    char *end = out->text + length;
    const char *are = out->wrong == 1 ? "is" : "are";
    if (buffer->count == 1)
        return;
    if (out->wanted && out->unwritten == out->wanted)
        snprintf(end, room, "; none of the %zu elements was written", out->wanted);
    else if (out->unwritten == out->wrong)
        snprintf(end, room, "; %zu of %zu elements %s never written", out->wrong, buffer->count,
                 out->wrong == 1 ? "was" : "were");
    else if (out->unwritten)
        snprintf(end, room, "; %zu of %zu elements %s wrong, %zu of them never written", out->wrong,
                 buffer->count, are, out->unwritten);
    else
        snprintf(end, room, "; %zu of %zu elements %s wrong", out->wrong, buffer->count, are);
}

static void describe_error(const struct lab_buffer *buffer, struct lab_difference *out)
{
    size_t length = strlen(out->text);
    if ((buffer->relative > 0 || buffer->absolute > 0) && isfinite(out->largest))
        snprintf(out->text + length, sizeof out->text - length, "; off by up to %.2g, where %.2g is allowed",
                 out->largest, out->allowed);
}

void lab_compare(const struct lab_buffer *buffer, const void *expected, struct lab_difference *out)
{
    memset(out, 0, sizeof *out);
    count_differences(buffer, expected, out);
    if (out->wrong == 0)
        return;
    describe_first(buffer, expected, out);
    describe_extent(buffer, out);
    describe_error(buffer, out);
}
