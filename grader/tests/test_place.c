/* test_place.c - lines about a place in the submission become what editors look for; all others stay. */
#include <check.h>
#include <stdlib.h>

#include "base/tests/run.h"
#include "grader/place.h"

static const struct {
    const char *line, *becomes;
} lines[] = {
    /* nvcc */
    {"lab3.cu(47): error: identifier \"x\" is undefined",
     "labs/a/lab3.cu:47: error: identifier \"x\" is undefined"},
    {"lab3.cu(21): warning #177-D: variable \"x\" was declared",
     "labs/a/lab3.cu:21: warning: variable \"x\" was declared [#177-D]"},
    {"lab3.cu(3): catastrophic error: cannot open source file",
     "labs/a/lab3.cu:3: error: cannot open source file"},
    {"lab3.cu(3): remark: text", "labs/a/lab3.cu:3: note: text"},
    {"lab3.h(12): error: no", "lab3.h(12): error: no"},
    {"      lab3.cu(47): error: source text is indented",
     "      lab3.cu(47): error: source text is indented"},
    /* g++ */
    {"lab3.cu:47:5: error: no", "labs/a/lab3.cu:47:5: error: no"},
    {"lab3.cu:47:5: fatal error: no", "labs/a/lab3.cu:47:5: error: no"},
    {"lab3.cu: In function 'void f()':", "lab3.cu: In function 'void f()':"},
    /* the checkers */
    {"vgpu: error: lab3.cu:44: out of bounds read", "labs/a/lab3.cu:44: error: out of bounds read"},
    {"race: lab3.cu:51: race in shared memory, with lab3.cu:44",
     "labs/a/lab3.cu:51: error: race in shared memory, with lab3.cu:44"},
    {"warning: lab3.cu:9: a remark", "labs/a/lab3.cu:9: warning: a remark"},
    {"error: other.cu:77: out of bounds write", "error: other.cu:77: out of bounds write"},
    {"error: lab3.cu has no line", "error: lab3.cu has no line"},
    /* the scout */
    {"lab3.cu:59: the kernel launch failed", "labs/a/lab3.cu:59: error: the kernel launch failed"},
    {"With width 1, height 1: lab3.cu:58: an empty grid",
     "With width 1, height 1:\nlabs/a/lab3.cu:58: error: an empty grid"},
    {"With width 1, height 1: out[0] is 1", "With width 1, height 1: out[0] is 1"},
    {"lab3.cu:59", "lab3.cu:59"},
    {"lab3.cu(59", "lab3.cu(59"},
    {"", ""},
};

START_TEST(a_line_about_a_place_is_rewritten)
{
    char *text = place_text(lines[_i].line, "lab3.cu", "labs/a/lab3.cu");
    ck_assert_str_eq(text, lines[_i].becomes);
    free(text);
}
END_TEST

START_TEST(lines_stay_apart)
{
    char *text = place_text("lab3.cu does not compile:\nlab3.cu(1): error: a\n    x\nlab3.cu(2): error: b",
                            "lab3.cu", "p");
    ck_assert_str_eq(text, "lab3.cu does not compile:\np:1: error: a\n    x\np:2: error: b");
    free(text);
}
END_TEST

START_TEST(only_a_place_is_one)
{
    ck_assert(place_is_first("lab3.cu:58: an empty grid", "lab3.cu"));
    ck_assert(!place_is_first("out[0] is 1", "lab3.cu"));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("place");
    tcase_add_loop_test(tests, a_line_about_a_place_is_rewritten, 0, (int)(sizeof lines / sizeof *lines));
    tcase_add_test(tests, lines_stay_apart);
    tcase_add_test(tests, only_a_place_is_one);
    return run_tests("place", tests);
}
