/* test_wrap.c - text is broken between words and nowhere else, and what was cut ends behind a word. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "base/wrap.h"

static char *wrapped(int columns, int indent, const char *mark, const char *text, int most_lines)
{
    char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    wrap_text(file, columns, indent, mark, text, most_lines);
    fclose(file);
    return out;
}

static const struct {
    int columns, indent;
    const char *mark, *text, *wanted;
    int most_lines;
} texts[] = {
    {20, 0, "", "one two three four five", "one two three four\nfive\n", 9},
    {20, 2, "-> ", "one two three four five", "  -> one two three\n     four five\n", 9},
    {10, 0, "", "a/path/that/is/longer is whole", "a/path/that/is/longer\nis whole\n", 9},
    {12, 0, "", "  kept as it is", "  kept as it\n  is\n", 9},
    {12, 0, "", "it takes 27 %, of all", "it takes\n27 %, of all\n", 9},
    {10, 0, "", "a\nb\nc\n", "a\nb\n...\n", 2},
    {10, 0, "", "a\tb", "a b\n", 2},
    {6, 0, "", "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n", 2},
    {10, 0, "", "", "", 2},
    {10, 1, "", "   ", "    \n", 2},
};

START_TEST(lines_are_broken_between_words)
{
    char *got =
        wrapped(texts[_i].columns, texts[_i].indent, texts[_i].mark, texts[_i].text, texts[_i].most_lines);
    ck_assert_str_eq(got, texts[_i].wanted);
    free(got);
}
END_TEST

static const struct {
    const char *text, *wanted;
} cuts[] = {
    {"the limits are (2147483647,65535)", "the limits are ..."},
    {"short", "short"},
    {"exactly nineteen ch", "exactly ..."}, /* a full room may have been cut: nobody knows */
    {"onewordthatislongerthanitsroom", "onewordthatislonger"},
};

START_TEST(what_was_cut_ends_behind_a_word)
{
    char room[20];
    snprintf(room, sizeof room, "%s", cuts[_i].text);
    wrap_end_at_word(room, sizeof room);
    ck_assert_str_eq(room, cuts[_i].wanted);
}
END_TEST

static const struct {
    const char *columns;
    int wanted;
} widths[] = {{"80", 80},        {"60", 60},       {"10", WRAP_FEWEST}, {"500", WRAP_MOST},
              {"x", WRAP_USUAL}, {"", WRAP_USUAL}, {NULL, WRAP_USUAL}};

START_TEST(columns_are_those_of_the_environment)
{
    if (widths[_i].columns)
        setenv("COLUMNS", widths[_i].columns, 1);
    else
        unsetenv("COLUMNS");
    ck_assert_int_eq(wrap_columns(-1), widths[_i].wanted);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("wrap");
    tcase_add_loop_test(tests, lines_are_broken_between_words, 0, (int)(sizeof texts / sizeof *texts));
    tcase_add_loop_test(tests, what_was_cut_ends_behind_a_word, 0, (int)(sizeof cuts / sizeof *cuts));
    tcase_add_loop_test(tests, columns_are_those_of_the_environment, 0,
                        (int)(sizeof widths / sizeof *widths));
    return run_tests("wrap", tests);
}
