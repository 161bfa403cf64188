/* test_screen.c - a picture is no larger than its terminal, and what stands below has room before all else. */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/screen.h"

/* No terminal is at hand: 24 rows of 80 columns are taken for granted. */
static struct screen screen;
static char *drawn;
static size_t drawn_bytes;

static void begin(void)
{
    screen = (struct screen){.is_terminal = true, .out = open_memstream(&drawn, &drawn_bytes)};
    screen_begin(&screen);
}

static void end(void)
{
    FILE *out = screen.out;
    if (screen.body)
        fclose(screen.body);
    free(screen.text);
    fclose(out);
    free(drawn);
}

static void print(const char *text)
{
    fputs(text, screen.body);
    fflush(screen.body);
}

static int count(const char *text, char what)
{
    int found = 0;
    for (; *text; text++)
        found += *text == what;
    return found;
}

START_TEST(a_small_picture_is_drawn_as_it_is)
{
    print("one\ntwo\n");
    screen_draw(&screen, "below\n");
    ck_assert_str_eq(drawn, "\033[Hone\033[K\ntwo\033[K\nbelow\033[K\n\033[J");
}
END_TEST

START_TEST(a_high_picture_is_cut_above_what_stands_below)
{
    for (int i = 0; i < 60; i++)
        print("line\n");
    screen_draw(&screen, "first below\nlast below\n");
    ck_assert_int_eq(count(drawn, '\n'), 23);
    ck_assert_ptr_nonnull(strstr(drawn, "(40 more lines: they need a higher window)"));
    ck_assert_ptr_nonnull(strstr(drawn, "last below"));
}
END_TEST

START_TEST(a_wide_line_is_cut_and_its_colours_end)
{
    char wide[200];
    memset(wide, 'w', sizeof wide);
    wide[sizeof wide - 1] = '\0';
    print("\033[1m");
    print(wide);
    print("\033[0m\n");
    screen_draw(&screen, "");
    ck_assert_int_eq(count(drawn, 'w'), 80);
    ck_assert_ptr_nonnull(strstr(drawn, "w\033[0m\033[K\n"));
}
END_TEST

START_TEST(characters_stay_whole)
{
    for (int i = 0; i < 60; i++)
        print("\u00fc\u5b57");
    print("\n");
    screen_draw(&screen, "");
    ck_assert_int_eq(count(drawn, '\xc3'), 27); /* three columns for each pair */
    ck_assert_int_eq(count(drawn, '\xe5'), 26);
}
END_TEST

START_TEST(tabs_take_the_room_that_they_take)
{
    print("ab\tc\n");
    screen_draw(&screen, "");
    ck_assert_str_eq(drawn, "\033[Hab      c\033[K\n\033[J");
}
END_TEST

START_TEST(standard_output_is_the_picture_for_a_while)
{
    FILE *real = stdout;
    screen_take(&screen);
    printf("taken\n");
    FILE *out = screen.out;
    screen.out = real;
    screen_give(&screen);
    screen.out = out;
    ck_assert_ptr_eq(stdout, real);
    screen_draw(&screen, "");
    ck_assert_ptr_nonnull(strstr(drawn, "taken"));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("screen");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_small_picture_is_drawn_as_it_is);
    tcase_add_test(tests, a_high_picture_is_cut_above_what_stands_below);
    tcase_add_test(tests, a_wide_line_is_cut_and_its_colours_end);
    tcase_add_test(tests, characters_stay_whole);
    tcase_add_test(tests, tabs_take_the_room_that_they_take);
    tcase_add_test(tests, standard_output_is_the_picture_for_a_while);
    return run_tests("screen", tests);
}
