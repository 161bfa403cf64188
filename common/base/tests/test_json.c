/* test_json.c - what the writer of JSON puts out, to the byte. Expected texts follow from the JSON standard (RFC 8259), those
 * of damaged UTF-8 from Unicode's table of well-formed sequences. */
#define _GNU_SOURCE
#include "base/json.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "run.h"

static char *output;
static size_t output_size;
static struct json json;

static void begin(void)
{
    json = (struct json){.file = open_memstream(&output, &output_size)};
}

static void end(void)
{
    fclose(json.file);
    free(output);
}

/* What was written since begin(); it begins anew. */
static void wrote(const char *expected)
{
    fflush(json.file);
    ck_assert_str_eq(output, expected);
    end();
    begin();
}

START_TEST(commas_stand_between_values_only)
{
    json_object(&json, NULL);
    json_text(&json, "kernel", "k");
    json_list(&json, "grid");
    json_count(&json, NULL, 1);
    json_count(&json, NULL, 2);
    json_end_list(&json);
    json_list(&json, "none");
    json_end_list(&json);
    json_object(&json, "inner");
    json_bool(&json, "yes", true);
    json_bool(&json, "no", false);
    json_null(&json, "nothing");
    json_end_object(&json);
    json_object(&json, "empty");
    json_end_object(&json);
    json_integer(&json, "last", -3);
    json_end_object(&json);
    wrote(
        "{\"kernel\":\"k\",\"grid\":[1,2],\"none\":[],\"inner\":{\"yes\":true,\"no\":false,\"nothing\":null},"
        "\"empty\":{},\"last\":-3}");
}
END_TEST

START_TEST(lines_break_after_the_comma)
{
    json_list(&json, NULL);
    for (uint64_t i = 1; i <= 2; i++) {
        json_line(&json);
        json_object(&json, NULL);
        json_count(&json, "n", i);
        json_end_object(&json);
    }
    json_line(&json);
    json_end_list(&json);
    wrote("[\n{\"n\":1},\n{\"n\":2}\n]");
}
END_TEST

static void text_becomes(const char *text, const char *expected)
{
    json_text(&json, NULL, text);
    wrote(expected);
}

START_TEST(texts_are_escaped_keys_too)
{
    text_becomes("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\"");
    text_becomes("line\nend\ttab\x01\x1f\x7f", "\"line\\nend\\u0009tab\\u0001\\u001f\\u007f\"");
    text_becomes("", "\"\"");
    text_becomes(NULL, "\"\"");
    json_object(&json, NULL);
    json_count(&json, "a \"key\"", 1);
    json_end_object(&json);
    wrote("{\"a \\\"key\\\"\":1}");
}
END_TEST

START_TEST(only_well_formed_utf8_comes_out)
{
    static const char *const good[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf",
                                       "\xf4\x8f\xbf\xbf"};
    char expected[16];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(expected, sizeof expected, "\"%s\"", good[i]);
        text_becomes(good[i], expected);
    }
    text_becomes("a\x80z", "\"a\\ufffdz\"");                              /* a continuation alone */
    text_becomes("\xc0\x80", "\"\\ufffd\\ufffd\"");                       /* too long for NUL */
    text_becomes("\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"");            /* too long for U+07FF */
    text_becomes("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* half a surrogate pair */
    text_becomes("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* above U+10FFFF */
    text_becomes("\xe2\x82", "\"\\ufffd\\ufffd\"");                       /* cut off at the end */
    text_becomes("\xff\xfe", "\"\\ufffd\\ufffd\"");
}
END_TEST

static void number_becomes(double value, const char *expected)
{
    json_number(&json, NULL, value);
    wrote(expected);
}

START_TEST(numbers_are_short_and_read_back)
{
    static const double values[] = {
        1.0 / 3, 2.0 / 3, 0.1 + 0.2,          M_PI, 1e-300, 5e-324, DBL_MAX, -DBL_MIN,
        1e22,    1.5e300, 123456789.123456789};
    number_becomes(0, "0");
    number_becomes(-0.5, "-0.5");
    number_becomes(0.1, "0.1");
    number_becomes(100000, "100000");
    number_becomes(1e14, "100000000000000");
    number_becomes(0.1 + 0.2, "0.30000000000000004");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_number(&json, NULL, values[i]);
        fflush(json.file);
        ck_assert(strtod(output, NULL) == values[i]);
        end();
        begin();
    }
    json_count(&json, NULL, UINT64_MAX);
    wrote("18446744073709551615");
    json_integer(&json, NULL, INT64_MIN);
    wrote("-9223372036854775808");
}
END_TEST

START_TEST(decimals_are_as_many_as_asked_for)
{
    json_fixed(&json, NULL, 2.0 / 3, 3);
    wrote("0.667");
    json_fixed(&json, NULL, 12345.6, 0);
    wrote("12346");
    json_fixed(&json, NULL, -1, 4);
    wrote("-1.0000");
    json_fixed(&json, NULL, DBL_MAX, 4);
    fflush(json.file);
    ck_assert(strtod(output, NULL) == DBL_MAX);
}
END_TEST

START_TEST(what_is_no_number_is_null)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        number_becomes(values[i], "null");
        json_fixed(&json, NULL, values[i], 2);
        wrote("null");
    }
}
END_TEST

/* A program may have chosen a language whose numbers have commas. The locale is made here, if the machine can. */
START_TEST(a_locale_with_commas_changes_nothing)
{
    char folder[] = "/tmp/base.locale.XXXXXX", command[200];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/german >/dev/null 2>&1", folder);
    const bool is_made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    if (is_made && setlocale(LC_NUMERIC, "german")) {
        char text[8];
        snprintf(text, sizeof text, "%.1f", 0.5);
        ck_assert_str_eq(text, "0,5");
        number_becomes(0.1 + 0.2, "0.30000000000000004");
        json_fixed(&json, NULL, -1.25, 2);
        wrote("-1.25");
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("json");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, commas_stand_between_values_only);
    tcase_add_test(tests, lines_break_after_the_comma);
    tcase_add_test(tests, texts_are_escaped_keys_too);
    tcase_add_test(tests, only_well_formed_utf8_comes_out);
    tcase_add_test(tests, numbers_are_short_and_read_back);
    tcase_add_test(tests, decimals_are_as_many_as_asked_for);
    tcase_add_test(tests, what_is_no_number_is_null);
    tcase_add_test(tests, a_locale_with_commas_changes_nothing);
    return run_tests("json", tests);
}
