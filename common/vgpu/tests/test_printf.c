/* test_printf.c - what kernels print: every conversion, the layout of arguments, and formats written by an enemy.
 * The host's own printf is the reference for well-formed directives. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/builtins.h"

struct buffer {
    uint8_t bytes[256];
    size_t size;
};

static void add(struct buffer *buffer, const void *value, size_t size)
{
    buffer->size = (buffer->size + size - 1) / size * size;
    memcpy(buffer->bytes + buffer->size, value, size);
    buffer->size += size;
}

static void add_int(struct buffer *buffer, int value)
{
    add(buffer, &value, sizeof value);
}
static void add_long(struct buffer *buffer, long long value)
{
    add(buffer, &value, sizeof value);
}
static void add_double(struct buffer *buffer, double value)
{
    add(buffer, &value, sizeof value);
}

/* The device's strings are the host's here; addresses below 4096 are nobody's. */
static bool read_host(void *context, uint64_t address, char *byte)
{
    (void)context;
    if (address < 4096)
        return false;
    *byte = *(const char *)(uintptr_t)address;
    return true;
}

static const char *format(const char *text, const struct buffer *buffer, int *count)
{
    static char out[1024];
    memset(out, 0, sizeof out);
    const size_t length =
        device_printf(out, sizeof out - 1, text, buffer->bytes, buffer->size, read_host, NULL, count);
    ck_assert_uint_lt(length, sizeof out);
    return out;
}

START_TEST(integers_print_as_on_the_host)
{
    static const char *const formats[] = {"%d",     "%i",   "%u",   "%o",   "%x",  "%X",  "%5d|",
                                          "%-5d|",  "%05d", "%+d",  "% d",  "%#x", "%#o", "%.3d",
                                          "%8.3d|", "%hd",  "%hhd", "%hhu", "%c"};
    static const int values[] = {0, 1, -1, 65, 300, -40000, 0x7fffffff};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            struct buffer buffer = {{0}, 0};
            char want[128] = "";
            add_int(&buffer, values[v]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(want, sizeof want, formats[f], values[v]);
#pragma GCC diagnostic pop
            ck_assert_str_eq(format(formats[f], &buffer, NULL), want);
        }
}
END_TEST

START_TEST(floats_print_as_on_the_host)
{
    static const char *const formats[] = {"%f", "%F",   "%e",      "%E",     "%g",    "%G",    "%a",
                                          "%A", "%.2f", "%10.3e|", "%-12g|", "%+.0f", "%#.0f", "%010.2f"};
    static const double values[] = {0.0, -0.0, 1.0, 3.14159265358979, -1e300, 1e-7, 12345678.9};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            struct buffer buffer = {{0}, 0};
            char want[512];
            add_double(&buffer, values[v]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(want, sizeof want, formats[f], values[v]);
#pragma GCC diagnostic pop
            ck_assert_str_eq(format(formats[f], &buffer, NULL), want);
        }
}
END_TEST

START_TEST(arguments_lie_at_multiples_of_their_size)
{
    struct buffer buffer = {{0}, 0};
    int count;
    add_int(&buffer, 7);
    add_double(&buffer, 2.5);
    add_int(&buffer, -3);
    add_long(&buffer, 1LL << 40);
    add_long(&buffer, (long long)(uintptr_t) "word");
    add_int(&buffer, 'z');
    ck_assert_str_eq(format("%d %.1f %d %lld %s %c%%\n", &buffer, &count),
                     "7 2.5 -3 1099511627776 word z%\n");
    ck_assert_int_eq(count, 6);
    ck_assert_uint_eq(device_printf_args_size("%d %.1f %d %lld %s %c%%\n"), buffer.size);
}
END_TEST

START_TEST(sixty_four_bit_lengths_are_all_alike)
{
    static const char *const formats[] = {"%ld", "%lld", "%zd", "%jd", "%td", "%li"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct buffer buffer = {{0}, 0};
        add_long(&buffer, -5000000000LL);
        ck_assert_str_eq(format(formats[f], &buffer, NULL), "-5000000000");
    }
    struct buffer buffer = {{0}, 0};
    add_long(&buffer, -1);
    add_long(&buffer, 255);
    ck_assert_str_eq(format("%zu %llx", &buffer, NULL), "18446744073709551615 ff");
}
END_TEST

START_TEST(stars_take_their_arguments)
{
    struct buffer buffer = {{0}, 0};
    int count;
    add_int(&buffer, 8);
    add_int(&buffer, 2);
    add_double(&buffer, 3.14159);
    add_int(&buffer, -6);
    add_int(&buffer, 42);
    ck_assert_str_eq(format("%*.*f|%*d|", &buffer, &count), "    3.14|42    |");
    ck_assert_int_eq(count, 5);
}
END_TEST

START_TEST(strings_obey_width_and_precision)
{
    struct buffer buffer = {{0}, 0};
    for (int i = 0; i < 4; i++)
        add_long(&buffer, (long long)(uintptr_t) "warpstep");
    ck_assert_str_eq(format("%s|%.4s|%10s|%-10.2s|", &buffer, NULL), "warpstep|warp|  warpstep|wa        |");
}
END_TEST

START_TEST(strings_that_are_not_there_are_named)
{
    struct buffer buffer = {{0}, 0};
    add_long(&buffer, 0);
    add_long(&buffer, 16);
    ck_assert_str_eq(format("%s %s", &buffer, NULL), "(null) (unreadable string)");
}
END_TEST

START_TEST(missing_arguments_read_as_zero)
{
    const struct buffer buffer = {{0}, 0};
    ck_assert_str_eq(format("%d %f %s %lld", &buffer, NULL), "0 0.000000 (null) 0");
}
END_TEST

START_TEST(broken_formats_are_shown_as_written)
{
    const struct buffer buffer = {{0}, 0};
    ck_assert_str_eq(format("100%! sure", &buffer, NULL), "100%! sure");
    ck_assert_str_eq(format("%", &buffer, NULL), "%");
    ck_assert_str_eq(format("%-", &buffer, NULL), "%-");
    ck_assert_str_eq(format("%5.", &buffer, NULL), "%5.");
    ck_assert_str_eq(format("%ll", &buffer, NULL), "%ll");
    ck_assert_str_eq(format("%n%q", &buffer, NULL), "%n%q");
    ck_assert_str_eq(format("%%%%", &buffer, NULL), "%%");
}
END_TEST

START_TEST(huge_widths_are_cut)
{
    struct buffer buffer = {{0}, 0};
    char out[8];
    add_int(&buffer, 5);
    ck_assert_uint_le(device_printf(out, sizeof out, "%99999999999999999999d", buffer.bytes, buffer.size,
                                    read_host, NULL, NULL),
                      1u << 17);
    ck_assert_uint_le(
        device_printf(out, 0, "%.99999999999999999999d", buffer.bytes, buffer.size, read_host, NULL, NULL),
        1u << 17);
}
END_TEST

START_TEST(nothing_is_written_past_the_output)
{
    struct buffer buffer = {{0}, 0};
    add_int(&buffer, 123456789);
    for (size_t size = 0; size < 16; size++) {
        char out[32];
        memset(out, '#', sizeof out);
        ck_assert_uint_eq(device_printf(out, size, "<%d>", buffer.bytes, buffer.size, read_host, NULL, NULL),
                          11);
        ck_assert(size >= sizeof out || out[size > 11 ? 11 : size] == '#');
    }
}
END_TEST

START_TEST(any_format_is_survived)
{
    static const char letters[] = "%%%%dfscxlhzj*.-+ #0123459ngpaLqt";
    uint32_t state = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[24];
        uint8_t args[64];
        for (size_t i = 0; i < sizeof text - 1; i++) {
            state = state * 1664525 + 1013904223;
            text[i] = letters[(state >> 16) % (sizeof letters - 1)];
        }
        text[sizeof text - 1] = '\0';
        for (size_t i = 0; i < sizeof args; i++)
            args[i] = i % 8 < 2 ? (uint8_t)(state >> i % 24) : 0; /* as pointers: below 64 KB */
        for (size_t i = 0; i < sizeof args; i += 8)
            args[i + 1] &= 0x0f; /* below 4096: nobody's */
        char out[64];
        device_printf(out, sizeof out, text, args, sizeof args, read_host, NULL, NULL);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("printf");
    TCase *formats = tcase_create("formats");
    tcase_add_test(formats, integers_print_as_on_the_host);
    tcase_add_test(formats, floats_print_as_on_the_host);
    tcase_add_test(formats, arguments_lie_at_multiples_of_their_size);
    tcase_add_test(formats, sixty_four_bit_lengths_are_all_alike);
    tcase_add_test(formats, stars_take_their_arguments);
    tcase_add_test(formats, strings_obey_width_and_precision);
    tcase_add_test(formats, strings_that_are_not_there_are_named);
    tcase_add_test(formats, missing_arguments_read_as_zero);
    tcase_add_test(formats, broken_formats_are_shown_as_written);
    tcase_add_test(formats, huge_widths_are_cut);
    tcase_add_test(formats, nothing_is_written_past_the_output);
    tcase_add_test(formats, any_format_is_survived);
    suite_add_tcase(suite, formats);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
