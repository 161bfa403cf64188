/* test_recognise.c - what a wrong output looks like: every pattern is claimed where it is there, and nowhere else.
 * Outputs are made by hand from the right one; small cases, small numbers and ties must not be claimed. */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/lab.h"

enum { WIDTH = 8, COUNT = 48 };

static float in[COUNT], want[COUNT], got[COUNT], poison;
static struct lab_run run;

/* ------------------------------------------------------------------------------------------- a lab of two steps */

static void layout(struct lab_run *one)
{
    lab_add_2d(one, LAB_OUT, LAB_FLOAT, "out", WIDTH, COUNT / WIDTH);
    lab_add_2d(one, LAB_IN, LAB_FLOAT, "in", WIDTH, COUNT / WIDTH);
}

static void half(const struct lab_run *one, int index, void *expected)
{
    (void)index;
    for (int i = 0; i < COUNT; i++)
        ((float *)expected)[i] = ((const float *)one->buffers[1].host)[i] / 2;
}

static void square(const struct lab_run *one, int index, void *expected)
{
    (void)index;
    for (int i = 0; i < COUNT; i++)
        ((float *)expected)[i] =
            ((const float *)one->buffers[1].host)[i] * ((const float *)one->buffers[1].host)[i];
}

static const struct lab_stage stages[] = {{.id = "half", .is_given = true},
                                          {.id = "square", .reference = square, .todo = {1, 0}}};
static const struct lab_case which = LAB_CASE(COUNT);
static struct lab small;

static void begin(void)
{
    small = (struct lab){.id = "lab99", LAB_STAGES(stages), .layout = layout, .reference = half};
    memset(&poison, LAB_POISON, sizeof poison);
    lab_begin_run(&run, &small, &stages[1], &which, 1);
    lab_fill(&run, 1, in);
    run.buffers[0].host = got;
    run.buffers[1].host = in;
    lab_reference(&run, 0, want);
    memcpy(got, want, sizeof got);
}

static const char *known(void)
{
    bool is_cause;
    return lab_recognise(&run, 0, want, &is_cause);
}

#define ck_assert_known(words)                                                                               \
    ck_assert_msg(known() && strstr(known(), words), "expected %s, found %s", words, known())

/* ------------------------------------------------------------------------------------------- what is there */

START_TEST(zeros_are_known)
{
    memset(got, 0, sizeof got);
    ck_assert_known("every element is 0");
}
END_TEST

START_TEST(lost_fractions_are_known)
{
    for (int i = 0; i < COUNT; i++) {
        want[i] = (float)i + 0.5f;
        got[i] = (float)(i - i % 4);
    }
    ck_assert_known("every element is a whole number: no fraction is left");
    got[7] = 6.25f;
    ck_assert_ptr_null(known());
}
END_TEST

static const struct {
    bool is_written[LAB_BUFFERS];
    const char *words;
} written[] = {{{false, false, false}, NULL},
               {{false, true, false}, "the input `in` was written, and `out` was not"},
               {{false, false, true}, "`work` was written, and `out` was not"}};

START_TEST(what_was_written_instead_is_told)
{
    lab_add(&run, LAB_SCRATCH, LAB_FLOAT, "work", COUNT);
    const char *said = lab_recognise_untouched(&run, written[_i].is_written);
    if (written[_i].words)
        ck_assert_msg(said && strstr(said, written[_i].words), "found %s", said);
    else
        ck_assert_ptr_null(said);
}
END_TEST

START_TEST(a_copy_is_known)
{
    memcpy(got, in, sizeof got);
    ck_assert_known("a copy of `in`");
}
END_TEST

START_TEST(the_result_of_the_step_before_is_known)
{
    for (int i = 0; i < COUNT; i++)
        got[i] = in[i] / 2;
    ck_assert_known("what stage half gives");
    ck_assert_known("TODO 1");
}
END_TEST

static const struct {
    int shift;
    const char *words;
} shifts[] = {{1, "right neighbour"}, {-1, "left neighbour"}, {WIDTH, "row below"}, {-WIDTH, "row above"}};

/* What has no neighbour holds anything. */
START_TEST(shifts_are_known)
{
    for (int i = 0; i < COUNT; i++) {
        int from = i + shifts[_i].shift;
        got[i] = from >= 0 && from < COUNT ? want[from] : 777;
    }
    ck_assert_known(shifts[_i].words);
}
END_TEST

static const struct {
    int factor;
    const char *words;
} factors[] = {{2, "exactly twice"}, {3, "exactly 3 times"}, {256, "exactly 256 times"}};

START_TEST(multiples_are_known)
{
    for (int i = 0; i < COUNT; i++)
        got[i] = (float)factors[_i].factor * want[i];
    ck_assert_known(factors[_i].words);
}
END_TEST

START_TEST(reverse_order_is_known)
{
    for (int i = 0; i < COUNT; i++)
        got[i] = want[COUNT - 1 - i];
    ck_assert_known("reverse order");
}
END_TEST

START_TEST(a_right_beginning_is_known)
{
    for (int i = 32; i < COUNT; i++)
        got[i] = 777;
    ck_assert_known("the first 32 of 48 elements are right");
}
END_TEST

START_TEST(a_few_wrong_at_the_end_are_told_as_such)
{
    got[COUNT - 1] = 777;
    ck_assert_known("all but the last of 48 elements are right");
    got[COUNT - 2] = 777;
    ck_assert_known("all but the last 2 of 48 elements are right");
}
END_TEST

/* As many elements as a quarter of the bytes: of an array that only kernels write this says nothing of a size. */
START_TEST(only_of_what_a_copy_fills_its_size_is_asked_for)
{
    for (int i = COUNT / 4; i < COUNT; i++)
        got[i] = 777;
    run.buffers[0].count = COUNT;
    ck_assert(!known() || !strstr(known(), "in bytes"));
}
END_TEST

START_TEST(elements_beyond_those_wanted_are_known)
{
    for (int i = 0; i < COUNT; i += WIDTH)
        want[i] = poison;
    ck_assert_known("written where nothing should be");
    got[1] = 777;
    ck_assert_ptr_null(known());
}
END_TEST

START_TEST(elements_that_nobody_wants_do_not_hide_a_pattern)
{
    for (int i = 0; i < COUNT; i++) {
        got[i] = 2 * want[i];
        if (i % WIDTH == WIDTH - 1)
            want[i] = got[i] = poison;
    }
    ck_assert_known("exactly twice");
}
END_TEST

/* ------------------------------------------------------------------------------------------- what is not */

START_TEST(one_other_element_is_enough_against_a_pattern)
{
    for (int i = 0; i < COUNT; i++)
        got[i] = i == 40 ? 777 : in[i];
    ck_assert_ptr_null(known());
}
END_TEST

START_TEST(a_wrong_number_is_not_a_pattern)
{
    got[5] = 777;
    ck_assert_ptr_null(known());
}
END_TEST

/* One buffer alone, of any kind. */
static const char *known_of(struct lab_buffer out, const void *expected)
{
    static const struct lab_stage only[] = {{.id = "only", .todo = {1, 0}}};
    bool is_cause;
    small.stages = only, small.nstages = 1;
    run = (struct lab_run){.lab = &small, .stage = only, .which = which, .nbuffers = 1};
    memcpy(run.size, which.size, sizeof run.size);
    run.buffers[0] = out;
    return lab_recognise(&run, 0, expected, &is_cause);
}

#define BUFFER(kind, array)                                                                                  \
    (struct lab_buffer)                                                                                      \
    {                                                                                                        \
        .name = "out", .role = LAB_OUT, .type = kind, .count = sizeof(array) / sizeof((array)[0]),           \
        .host = array                                                                                        \
    }

START_TEST(a_single_number_tells_if_it_is_large)
{
    int64_t sum = 123456789012, twice = 2 * sum, small_sum = 3, small_twice = 6;
    int64_t large[] = {twice}, little[] = {small_twice};
    const char *found = known_of(BUFFER(LAB_INT64, large), &sum);
    ck_assert(found && strstr(found, "it is exactly twice"));
    ck_assert_ptr_null(known_of(BUFFER(LAB_INT64, little), &small_sum));
}
END_TEST

START_TEST(few_small_numbers_tell_nothing)
{
    int32_t right[] = {1, 2, 3, 4, 5, 6}, shifted[] = {2, 3, 4, 5, 6, 9}, doubled[] = {2, 4, 6, 8, 10, 12};
    ck_assert_ptr_null(known_of(BUFFER(LAB_INT, shifted), right));
    ck_assert_ptr_null(known_of(BUFFER(LAB_INT, doubled), right));
}
END_TEST

START_TEST(three_elements_are_too_few_for_a_shift)
{
    float right[] = {0.1f, 0.2f, 0.3f}, shifted[] = {0.2f, 0.3f, 0.9f};
    ck_assert_ptr_null(known_of(BUFFER(LAB_FLOAT, shifted), right));
}
END_TEST

/* Shifted or not, all but the last element are the same: nothing may be claimed about the index. */
START_TEST(ties_are_not_claimed)
{
    int32_t right[64], wrong[64];
    for (int i = 0; i < 64; i++)
        right[i] = wrong[i] = 5000000;
    wrong[63] = 1;
    const char *found = known_of(BUFFER(LAB_INT, wrong), right);
    ck_assert_str_eq(found, "all but the last of 64 elements are right");
    wrong[0] = 1;
    ck_assert_ptr_null(known_of(BUFFER(LAB_INT, wrong), right));
}
END_TEST

START_TEST(zeros_that_are_right_are_not_claimed)
{
    float right[] = {0, 0}, minus[] = {-0.0f, 0};
    ck_assert_ptr_null(known_of(BUFFER(LAB_FLOAT, minus), right));
}
END_TEST

START_TEST(integers_wrap_around_as_they_do_in_a_kernel)
{
    int32_t right[] = {2000000000, -2000000000}, doubled[] = {-294967296, 294967296};
    const char *found = known_of(BUFFER(LAB_INT, doubled), right);
    ck_assert(found && strstr(found, "exactly twice"));
}
END_TEST

/* ------------------------------------------------------------------------------------------- the lab's own */

static const char *own_words(const struct lab_run *one, int index, const void *expected)
{
    (void)one, (void)index, (void)expected;
    return "the lab knows better";
}

START_TEST(the_lab_is_asked_first)
{
    bool is_cause = false;
    memcpy(got, in, sizeof got);
    small.recognise = own_words;
    ck_assert_str_eq(lab_recognise(&run, 0, want, &is_cause), "the lab knows better");
    ck_assert(is_cause);
    small.recognise = NULL;
    ck_assert_ptr_nonnull(lab_recognise(&run, 0, want, &is_cause));
    ck_assert(!is_cause);
}
END_TEST

START_TEST(a_multiple_is_a_cause_and_a_copy_is_a_fact)
{
    bool is_cause = false;
    for (int i = 0; i < COUNT; i++)
        got[i] = 2 * want[i];
    ck_assert_ptr_nonnull(lab_recognise(&run, 0, want, &is_cause));
    ck_assert(is_cause);
    memcpy(got, in, sizeof got);
    ck_assert_ptr_nonnull(lab_recognise(&run, 0, want, &is_cause));
    ck_assert(!is_cause);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("recognise");
    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_add_test(tests, zeros_are_known);
    tcase_add_test(tests, lost_fractions_are_known);
    tcase_add_loop_test(tests, what_was_written_instead_is_told, 0, LAB_COUNT(written));
    tcase_add_test(tests, a_copy_is_known);
    tcase_add_test(tests, the_result_of_the_step_before_is_known);
    tcase_add_loop_test(tests, shifts_are_known, 0, LAB_COUNT(shifts));
    tcase_add_loop_test(tests, multiples_are_known, 0, LAB_COUNT(factors));
    tcase_add_test(tests, reverse_order_is_known);
    tcase_add_test(tests, a_right_beginning_is_known);
    tcase_add_test(tests, a_few_wrong_at_the_end_are_told_as_such);
    tcase_add_test(tests, only_of_what_a_copy_fills_its_size_is_asked_for);
    tcase_add_test(tests, elements_beyond_those_wanted_are_known);
    tcase_add_test(tests, elements_that_nobody_wants_do_not_hide_a_pattern);
    tcase_add_test(tests, one_other_element_is_enough_against_a_pattern);
    tcase_add_test(tests, a_wrong_number_is_not_a_pattern);
    tcase_add_test(tests, a_single_number_tells_if_it_is_large);
    tcase_add_test(tests, few_small_numbers_tell_nothing);
    tcase_add_test(tests, three_elements_are_too_few_for_a_shift);
    tcase_add_test(tests, ties_are_not_claimed);
    tcase_add_test(tests, zeros_that_are_right_are_not_claimed);
    tcase_add_test(tests, integers_wrap_around_as_they_do_in_a_kernel);
    tcase_add_test(tests, the_lab_is_asked_first);
    tcase_add_test(tests, a_multiple_is_a_cause_and_a_copy_is_a_fact);
    return run_tests("recognise", tests);
}
