/* test_nearest.c - words that somebody may have meant are found, and others are not. */
#include <check.h>

#include "base/nearest.h"
#include "base/tests/run.h"

static const struct {
    const char *a, *b;
    size_t distance;
} pairs[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"abc", "", 3},
    {"abc", "abc", 0},
    {"abc", "acb", 1},
    {"abc", "abxc", 1},
    {"kitten", "sitting", 3},
    {"reslts", "results", 1},
    {"ab", "ba", 1},
    {"abcd", "badc", 2},
    {"flaw", "lawn", 2},
    {"virtul", "virtual", 1},
    {"a", "b", 1},
    {"explian", "explain", 1},
};

START_TEST(changes_are_counted)
{
    ck_assert_uint_eq(nearest_distance(pairs[_i].a, pairs[_i].b), pairs[_i].distance);
    ck_assert_uint_eq(nearest_distance(pairs[_i].b, pairs[_i].a), pairs[_i].distance);
}
END_TEST

static const char *const words[] = {"results", "reset", "explain", "export", "list", NULL};

static const struct {
    const char *word, *wanted; /* "": none */
} searches[] = {
    {"reslts", "results"},
    {"rest", "reset"},
    {"explian", "explain"},
    {"exprot", "export"},
    {"lst", "list"},
    {"", ""},
    {"x", ""},
    {"grade", ""},
    {"lsit", "list"},
    {"resultats", "results"},
    {"a-word-that-is-much-longer-than-any-command-has-ever-been", ""},
};

START_TEST(what_is_near_is_found)
{
    const char *found = nearest_word(searches[_i].word, words);
    ck_assert_str_eq(found ? found : "", searches[_i].wanted);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("nearest");
    tcase_add_loop_test(tests, changes_are_counted, 0, sizeof pairs / sizeof *pairs);
    tcase_add_loop_test(tests, what_is_near_is_found, 0, sizeof searches / sizeof *searches);
    return run_tests("nearest", tests);
}
