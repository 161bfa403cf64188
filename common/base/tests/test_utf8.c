/* test_utf8.c - text of unknown origin. Expected bytes are Unicode's. */
#include <stdlib.h>

#include "base/tests/run.h"
#include "base/utf8.h"

static const struct {
    const char *text, *plain, *name;
} rows[] = {
    {"ann", "ann", "ann"},
    {"a\nb\tc", "a\nb\tc", "a\\x0ab\\x09c"},
    {"\033[2J", "?[2J", "\\x1b[2J"},
    {"\xc2\x9b"
     "2J",
     "?2J", "\\xc2\\x9b2J"}, /* CSI as one character */
    {"\x9b"
     "2J",
     "\xef\xbf\xbd"
     "2J",
     "\\x9b2J"}, /* and as one byte */
    {"\xe2\x80\xae"
     "abc",
     "?abc", "\\xe2\\x80\\xaeabc"}, /* from right to left */
    {"M\xc3\xbcller", "M\xc3\xbcller", "M\xc3\xbcller"},
    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", "\\xc0\\xaf"},                      /* a slash in two bytes */
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\\xed\\xa0\\x80"}, /* half a surrogate pair */
    {"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\\xf0\\x9f\\x98"}, /* cut off */
    {"\x7f", "?", "\\x7f"},
};

START_TEST(text_becomes_fit_to_be_shown)
{
    char *plain = utf8_plain(rows[_i].text), *name = utf8_name(rows[_i].text);
    ck_assert_str_eq(plain, rows[_i].plain);
    ck_assert_str_eq(name, rows[_i].name);
    free(plain);
    free(name);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("utf8");
    tcase_add_loop_test(tests, text_becomes_fit_to_be_shown, 0, sizeof rows / sizeof *rows);
    return run_tests("utf8", tests);
}
