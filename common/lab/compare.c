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
    if (element_is_real(type))
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

/* Elements that somebody should write. The type is known where this is inlined: several are counted at a time. */
__attribute__((always_inline)) static inline size_t count_some(enum lab_type type, const void *expected,
                                                               size_t first, size_t count)
{
    size_t wanted = 0;
    for (size_t i = first; i < first + count; i++)
        wanted += !element_is_poison(type, element_load(type, expected, i));
    return wanted;
}

static size_t count_wanted(enum lab_type type, const void *expected, size_t first, size_t count)
{
    const uint32_t each = element_bytes(type);
    return each == 1   ? count_some(LAB_BYTE, expected, first, count)
           : each == 4 ? count_some(LAB_UINT, expected, first, count)
                       : count_some(LAB_UINT64, expected, first, count);
}

/* So many elements from i on that are the same bits as expected; most of what is compared is right. */
static size_t count_same(const struct lab_buffer *buffer, const void *expected, size_t i)
{
    enum { PIECE = 1024 };
    const size_t each = element_bytes(buffer->type), left = buffer->count - i,
                 count = left < PIECE ? left : PIECE;
    return i % PIECE == 0 && !memcmp((const uint8_t *)buffer->host + i * each,
                                     (const uint8_t *)expected + i * each, count * each)
               ? count
               : 0;
}

/* What nobody wrote is marked, if that is asked for: from here on it is LAB_POISON. */
static void count_differences(const struct lab_run *run, int index, const void *expected, bool is_marked,
                              struct lab_difference *out)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    enum lab_type type = buffer->type;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < buffer->count; i++) {
        const size_t same = count_same(buffer, expected, i);
        if (same) {
            out->wanted += count_wanted(type, expected, i, same);
            i += same - 1;
            continue;
        }
        uint64_t got = element_load(type, buffer->host, i), want = element_load(type, expected, i);
        out->wanted += !element_is_poison(type, want);
        if (element_matches(type, buffer->relative, buffer->absolute, got, want))
            continue;
        if ((is_marked || element_is_poison(type, want)) && lab_is_left(run, index, i, got)) {
            memset((uint8_t *)buffer->host + i * element_bytes(type), LAB_POISON, element_bytes(type));
            got = element_load(type, buffer->host, i);
        }
        if (got == want)
            continue;
        keep_worst(buffer, got, want, out);
        if (out->wrong++ == 0)
            out->first = i;
        out->unwritten += element_is_poison(type, got);
    }
}

/* Of wrong integers some are by chance what was there before: one of as many as there are numbers to draw from. */
static bool is_chance(const struct lab_buffer *buffer, const struct lab_difference *found)
{
    const double mean =
        element_is_real(buffer->type) ? 0 : (double)found->wrong / (buffer->high - buffer->low + 1);
    return found->unwritten && (double)found->unwritten <= mean + 4 * sqrt(mean);
}

static void unmark(const struct lab_run *run, int index, const void *expected)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = element_bytes(buffer->type);
    for (size_t i = 0; i < buffer->count; i++)
        if (element_is_poison(buffer->type, element_load(buffer->type, buffer->host, i)) &&
            !element_is_poison(buffer->type, element_load(buffer->type, expected, i)))
            lab_fill_part(run, index, i, 1, (uint8_t *)buffer->host + i * bytes);
}

/* Where nothing was written, what memory held is within the tolerance for some elements: they were not written either. */
static void count_untouched(const struct lab_run *run, int index, const void *expected,
                            struct lab_difference *out)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    size_t untouched = out->unwritten;
    if (out->unwritten != out->wrong || out->unwritten == out->wanted)
        return;
    for (size_t i = 0; i < buffer->count; i++) {
        const uint64_t got = element_load(buffer->type, buffer->host, i);
        untouched += !element_is_poison(buffer->type, got) &&
                     !element_is_poison(buffer->type, element_load(buffer->type, expected, i)) &&
                     lab_is_left(run, index, i, got);
    }
    if (untouched == out->wanted)
        out->wrong = out->unwritten = untouched;
}

static void find_differences(const struct lab_run *run, int index, const void *expected,
                             struct lab_difference *out)
{
    count_differences(run, index, expected, true, out);
    if (out->wrong && !is_chance(&run->buffers[index], out))
        count_untouched(run, index, expected, out);
    if (!is_chance(&run->buffers[index], out))
        return;
    unmark(run, index, expected);
    count_differences(run, index, expected, false, out);
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

/* ------------------------------------------------------------------------------------------- answers */

static const struct lab_buffer *find_sheet(const struct lab_run *run, const struct lab_buffer *answers)
{
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role == LAB_IN && !strcmp(run->buffers[i].name, answers->sheet))
            return &run->buffers[i];
    return NULL;
}

static bool is_given(const struct lab_buffer *answers, const struct lab_buffer *sheet, size_t question)
{
    const uint64_t got = element_load(answers->type, answers->host, question);
    const size_t choices = sheet && sheet->host ? sheet->count / answers->count : 0;
    return !element_is_poison(answers->type, got) &&
           (!choices || got != element_load(sheet->type, sheet->host, question * choices));
}

/* "answers 1, 3 and 4 are not given yet"; false: all are. */
static bool name_missing(const struct lab_run *run, const struct lab_buffer *answers, char *out, size_t size)
{
    const struct lab_buffer *sheet = find_sheet(run, answers);
    size_t missing = 0, told = 0, used = 0;
    for (size_t i = 0; i < answers->count; i++)
        missing += !is_given(answers, sheet, i);
    if (answers->count == 1 && missing)
        snprintf(out, size, "the answer is not given yet");
    if (answers->count == 1 || !missing)
        return missing;
    used += (size_t)snprintf(out, size, "answer%s ", missing == 1 ? "" : "s");
    for (size_t i = 0; i < answers->count && used < size; i++)
        if (!is_given(answers, sheet, i)) {
            const char *before = told == 0 ? "" : told + 1 == missing ? " and " : ", ";
            used += (size_t)snprintf(out + used, size - used, "%s%zu", before, i + 1);
            told++;
        }
    if (used < size)
        snprintf(out + used, size - used, " %s not given yet", missing == 1 ? "is" : "are");
    return true;
}

/* Which answer is wrong, or what is right, is not told: nobody should find it by trying. */
static void describe_answers(const struct lab_run *run, const struct lab_buffer *answers,
                             struct lab_difference *out)
{
    const size_t right = answers->count - out->wrong;
    if (name_missing(run, answers, out->text, sizeof out->text))
        return;
    if (answers->count == 1)
        snprintf(out->text, sizeof out->text, "the answer is not right");
    else
        snprintf(out->text, sizeof out->text,
                 "%zu of %zu answers %s right; there are points for all of them only", right, answers->count,
                 right == 1 ? "is" : "are");
}

bool lab_is_about_answers(const char *text, bool *is_missing)
{
    *is_missing = strstr(text, "not given yet") != NULL;
    return !strchr(text, '[') && strstr(text, "answer") != NULL;
}

/* ------------------------------------------------------------------------------------------- both */

void lab_compare(const struct lab_run *run, int index, const void *expected, struct lab_difference *out)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    find_differences(run, index, expected, out);
    if (out->wrong == 0)
        return;
    if (buffer->sheet) {
        describe_answers(run, buffer, out);
        return;
    }
    describe_first(buffer, expected, out);
    describe_extent(buffer, out);
    describe_error(buffer, out);
}
