/* test_compare.c - when a result counts as right, and how a wrong one is described.
 * Every row of the table is one element: what came out, what should have, and the verdict. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/lab.h"

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ------------------------------------------------------------------------------------------- one element */

#define POISON      0xffffffffu
#define NAN_BITS    0x7fc00000u
#define OTHER_NAN   0x7fc00001u
#define PLUS_INF    0x7f800000u
#define MINUS_INF   0xff800000u
#define ONE         0x3f800000u
#define NEXT_TO_ONE 0x3f800001u
#define MINUS_ZERO  0x80000000u
#define DENORMAL    0x00000001u
#define LARGEST     0x7f7fffffu

static const struct {
    uint32_t got, want;
    double tolerance; /* relative, and absolute as well */
    bool is_right;
} elements[] = {
    {ONE, ONE, 0, true},
    {NEXT_TO_ONE, ONE, 0, false},
    {NEXT_TO_ONE, ONE, 1e-6, true},
    {NEXT_TO_ONE, ONE, 1e-8, false},
    {NAN_BITS, ONE, 0, false},
    {NAN_BITS, ONE, 0.5, false},
    {ONE, NAN_BITS, 0.5, false},
    {NAN_BITS, NAN_BITS, 0, true},
    {OTHER_NAN, NAN_BITS, 0, true},
    {OTHER_NAN, NAN_BITS, 1e-6, true},
    {POISON, NAN_BITS, 0, false},
    {POISON, NAN_BITS, 1e-6, false},
    {POISON, ONE, 1e-6, false},
    {PLUS_INF, PLUS_INF, 1e-6, true},
    {MINUS_INF, PLUS_INF, 1e-6, false},
    {PLUS_INF, LARGEST, 1e-6, false},
    {LARGEST, PLUS_INF, 1e-6, false},
    {ONE, PLUS_INF, 1e-6, false},
    {NAN_BITS, PLUS_INF, 1e-6, false},
    {MINUS_ZERO, 0, 0, false},
    {MINUS_ZERO, 0, 1e-6, true},
    {DENORMAL, 0, 0, false},
    {DENORMAL, 0, 1e-6, true},
    {0, ONE, 1e-6, false},
    {ONE, 0, 1e-6, false},
};

static void compare(const struct lab_buffer *buffer, const void *expected, struct lab_difference *out)
{
    const struct lab_run run = {.buffers = {*buffer}, .nbuffers = 1};
    lab_compare(&run, 0, expected, out);
}

START_TEST(an_element_is_right_or_wrong)
{
    float got = float_of(elements[_i].got), want = float_of(elements[_i].want);
    struct lab_buffer buffer = {.name = "out",
                                .type = LAB_FLOAT,
                                .count = 1,
                                .high = 1,
                                .relative = elements[_i].tolerance,
                                .host = &got};
    buffer.absolute = buffer.relative;
    struct lab_difference difference;
    compare(&buffer, &want, &difference);
    ck_assert_uint_eq(difference.wrong, !elements[_i].is_right);
    ck_assert_uint_eq(difference.unwritten, elements[_i].got == POISON);
}
END_TEST

/* |got - want| <= relative * |want| + absolute: each part alone, at its limit and just beyond. */
static const struct {
    double relative, absolute, want, got;
    bool is_right;
} doubles[] = {
    {1e-12, 0, 1e300, 1e300 * (1 + 0.9e-12), true},
    {1e-12, 0, 1e300, 1e300 * (1 + 1.1e-12), false},
    {1e-12, 0, 0, 1e-300, false},
    {0, 1e-3, 0, 0.9e-3, true},
    {0, 1e-3, 0, -1.1e-3, false},
    {0, 1e-3, 1e9, 1e9 + 2e-3, false},
    {1e-3, 1e-3, -1, -1.0019, true},
    {1e-3, 1e-3, -1, -1.0021, false},
    {1e-3, 1e-3, (double)INFINITY, 1e300, false},
    {1e-3, 1e-3, 1e300, (double)INFINITY, false},
};

START_TEST(a_tolerance_has_a_relative_and_an_absolute_part)
{
    double got = doubles[_i].got;
    struct lab_buffer buffer = {.name = "sum", .type = LAB_DOUBLE, .count = 1, .host = &got};
    struct lab_difference difference;
    buffer.relative = doubles[_i].relative;
    buffer.absolute = doubles[_i].absolute;
    compare(&buffer, &doubles[_i].want, &difference);
    ck_assert_uint_eq(difference.wrong, !doubles[_i].is_right);
}
END_TEST

START_TEST(integers_are_exact)
{
    struct lab_difference difference;
    int32_t count = -1000, exact = -1001;
    struct lab_buffer buffer = {.name = "hits", .type = LAB_INT, .count = 1, .host = &count};
    compare(&buffer, &exact, &difference);
    ck_assert_uint_eq(difference.wrong, 1);
    exact = count;
    compare(&buffer, &exact, &difference);
    ck_assert_uint_eq(difference.wrong, 0);
}
END_TEST

START_TEST(an_element_that_nobody_may_write_is_named_as_such)
{
    float got[] = {1, 5}, want[] = {1, float_of(POISON)};
    struct lab_buffer buffer = {.name = "out", .role = LAB_OUT, .type = LAB_FLOAT, .count = 2, .host = got};
    struct lab_difference difference;
    compare(&buffer, want, &difference);
    ck_assert_uint_eq(difference.wrong, 1);
    ck_assert_ptr_nonnull(
        strstr(difference.text, "out[1] was written (5), but is not the kernel's to write"));
}
END_TEST

START_TEST(a_right_value_that_looks_like_poison_is_right)
{
    int32_t got = -1, want = -1;
    struct lab_buffer buffer = {.name = "out", .type = LAB_INT, .count = 1, .host = &got};
    struct lab_difference difference;
    compare(&buffer, &want, &difference);
    ck_assert_uint_eq(difference.wrong, 0);
}
END_TEST

START_TEST(every_type_is_compared_by_its_own_size)
{
    static const enum lab_type types[] = {LAB_INT,   LAB_FLOAT,  LAB_DOUBLE, LAB_UINT,
                                          LAB_INT64, LAB_UINT64, LAB_BYTE};
    unsigned char got[8 * 3] = {0}, want[8 * 3] = {0};
    size_t bytes = lab_type_bytes(types[_i]);
    got[2 * bytes] = 1;
    struct lab_buffer buffer = {.name = "out", .type = types[_i], .count = 3, .host = got};
    struct lab_difference difference;
    compare(&buffer, want, &difference);
    ck_assert_uint_eq(difference.wrong, 1);
    ck_assert_uint_eq(difference.first, 2);
}
END_TEST

/* ------------------------------------------------------------------------------------------- words */

START_TEST(coordinates_name_rows_and_columns)
{
    char text[80];
    struct lab_buffer buffer = {.count = 60};
    lab_coordinates(&buffer, 17, text, sizeof text);
    ck_assert_str_eq(text, "[17]");
    buffer.dims[0] = 60;
    lab_coordinates(&buffer, 17, text, sizeof text);
    ck_assert_str_eq(text, "[17]");
    buffer.dims[0] = 5, buffer.dims[1] = 12;
    lab_coordinates(&buffer, 17, text, sizeof text);
    ck_assert_str_eq(text, "[row 3][column 2]");
    buffer.dims[1] = 4, buffer.dims[2] = 3;
    lab_coordinates(&buffer, 59, text, sizeof text);
    ck_assert_str_eq(text, "[layer 2][row 3][column 4]");
}
END_TEST

START_TEST(the_first_wrong_element_is_described)
{
    float got[] = {1, 2, 0.25f, 4, 5, 7}, want[] = {1, 2, 0.5f, 4, 5, 6};
    struct lab_buffer buffer = {.name = "out", .type = LAB_FLOAT, .count = 6, .dims = {2, 3}, .host = got};
    struct lab_difference difference;
    compare(&buffer, want, &difference);
    ck_assert_str_eq(difference.text,
                     "out[row 1][column 0] is 0.25, should be 0.5; 2 of 6 elements are wrong");
    ck_assert_uint_eq(difference.first, 2);
    ck_assert_double_eq_tol(difference.largest, 1, 1e-9);
}
END_TEST

START_TEST(values_that_print_alike_get_all_their_digits)
{
    float got = float_of(NEXT_TO_ONE), want = 1;
    struct lab_buffer buffer = {.name = "sum", .type = LAB_FLOAT, .count = 1, .host = &got};
    struct lab_difference difference;
    compare(&buffer, &want, &difference);
    ck_assert_str_eq(difference.text, "sum[0] is 1.00000012, should be 1");
}
END_TEST

/* An output as it is before a call. */
enum { LEFT = 200 };
static struct lab_run run_with(enum lab_type type, double high, void *host)
{
    struct lab_run run = {.seed = 5, .nbuffers = 1};
    run.buffers[0] = (struct lab_buffer){
        .name = "out", .role = LAB_OUT, .type = type, .count = LEFT, .high = high, .host = host};
    lab_fill(&run, 0, host);
    return run;
}

START_TEST(what_stays_as_it_was_before_the_call_was_never_written)
{
    float got[LEFT], want[LEFT] = {0};
    const struct lab_run run = run_with(LAB_FLOAT, 1, got);
    struct lab_difference difference;
    want[3] = got[3];           /* by chance what is right */
    want[5] = float_of(POISON); /* not to be written */
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.wrong, LEFT - 1);
    ck_assert_uint_eq(difference.unwritten, LEFT - 1);
    ck_assert_uint_eq(difference.wanted, LEFT - 1);
}
END_TEST

/* Where one element was written, those that are right by chance are no concern of anybody's. */
START_TEST(what_is_within_the_tolerance_by_chance_was_not_written_either)
{
    float got[LEFT], want[LEFT];
    struct lab_run run = run_with(LAB_FLOAT, 1, got);
    struct lab_difference difference;
    run.buffers[0].absolute = 0.1;
    for (int i = 0; i < LEFT; i++)
        want[i] = got[i] + (i % 4 ? 1.0f : 0.05f);
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.unwritten, LEFT);
    ck_assert_ptr_nonnull(strstr(difference.text, "none of the "));
    lab_fill(&run, 0, got);
    got[1] = want[1];
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.unwritten, difference.wrong);
    ck_assert_uint_eq(difference.wrong, LEFT - LEFT / 4 - 1);
}
END_TEST

/* Of 200 numbers out of four some fifty are what was there before. */
START_TEST(a_wrong_integer_may_be_by_chance_what_was_there)
{
    int32_t got[LEFT], want[LEFT];
    const struct lab_run run = run_with(LAB_INT, 3, got);
    struct lab_difference difference;
    for (int i = 0; i < LEFT; i++) {
        got[i] = i % 4;
        want[i] = 7;
    }
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.wrong, LEFT);
    ck_assert_uint_eq(difference.unwritten, 0);
    for (int i = 0; i < LEFT; i++)
        ck_assert_int_eq(got[i], i % 4);
    lab_fill(&run, 0, got);
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.unwritten, LEFT);
}
END_TEST

START_TEST(elements_that_were_never_written_are_told_apart)
{
    float poison = float_of(POISON), got[] = {poison, 2, 9}, want[] = {1, 2, 3};
    struct lab_buffer buffer = {.name = "out", .type = LAB_FLOAT, .count = 3, .host = got};
    struct lab_difference difference;
    compare(&buffer, want, &difference);
    ck_assert_str_eq(difference.text,
                     "out[0] was never written, should be 1; 2 of 3 elements are wrong, 1 of "
                     "them never written");
    got[2] = 3;
    compare(&buffer, want, &difference);
    ck_assert_str_eq(difference.text,
                     "out[0] was never written, should be 1; 1 of 3 elements was never written");
    got[1] = got[2] = poison;
    compare(&buffer, want, &difference);
    ck_assert_str_eq(difference.text,
                     "out[0] was never written, should be 1; none of the 3 elements was written");
    ck_assert(isinf(difference.largest));
}
END_TEST

START_TEST(a_tolerance_is_told_with_the_error)
{
    float got[] = {1, 2.5f}, want[] = {1, 2};
    struct lab_buffer buffer = {
        .name = "out", .type = LAB_FLOAT, .count = 2, .relative = 1e-6, .absolute = 1e-6, .host = got};
    struct lab_difference difference;
    compare(&buffer, want, &difference);
    ck_assert_str_eq(difference.text,
                     "out[1] is 2.5, should be 2; 1 of 2 elements is wrong; off by up to 0.5, where 3e-06 is "
                     "allowed");
}
END_TEST

/* ------------------------------------------------------------------------------------------- answers */

/* Four questions with four choices each; the first stands for no answer. The third choice is right. */
static const struct {
    float chosen[4]; /* -1: never written */
    const char *text;
} answers[] = {
    {{0, 0, 0, 0}, "answers 1, 2, 3 and 4 are not given yet"},
    {{2, 2, 0, 0}, "answers 3 and 4 are not given yet"},
    {{1, 2, 0, 3}, "answer 3 is not given yet"},
    {{1, 2, -1, 3}, "answer 3 is not given yet"},
    {{1, 2, 2, 3}, "2 of 4 answers are right; there are points for all of them only"},
    {{1, 2, 1, 1}, "1 of 4 answers is right; there are points for all of them only"},
    {{3, 3, 3, 3}, "0 of 4 answers are right; there are points for all of them only"},
    {{2, 2, 2, 2}, ""},
};

START_TEST(of_answers_only_what_is_missing_or_how_many_are_right_is_told)
{
    float sheet[16], given[4], right[4];
    for (int i = 0; i < 16; i++)
        sheet[i] = 0.0625f * (float)(i + 1);
    for (int i = 0; i < 4; i++) {
        const int choice = (int)answers[_i].chosen[i];
        right[i] = sheet[4 * i + 2];
        memset(&given[i], LAB_POISON, sizeof given[i]);
        if (choice >= 0)
            given[i] = sheet[4 * i + choice];
    }
    const struct lab_run run = {
        .buffers = {{.name = "answers",
                     .role = LAB_OUT,
                     .type = LAB_FLOAT,
                     .count = 4,
                     .host = given,
                     .sheet = "sheet"},
                    {.name = "sheet", .role = LAB_IN, .type = LAB_FLOAT, .count = 16, .host = sheet}},
        .nbuffers = 2};
    struct lab_difference difference;
    bool is_cause;
    lab_compare(&run, 0, right, &difference);
    ck_assert_str_eq(difference.text, answers[_i].text);
    ck_assert_ptr_null(lab_recognise(&run, 0, right, &is_cause));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("compare");
    tcase_add_loop_test(tests, an_element_is_right_or_wrong, 0, sizeof elements / sizeof elements[0]);
    tcase_add_loop_test(tests, of_answers_only_what_is_missing_or_how_many_are_right_is_told, 0,
                        LAB_COUNT(answers));
    tcase_add_loop_test(tests, a_tolerance_has_a_relative_and_an_absolute_part, 0,
                        sizeof doubles / sizeof doubles[0]);
    tcase_add_test(tests, integers_are_exact);
    tcase_add_test(tests, an_element_that_nobody_may_write_is_named_as_such);
    tcase_add_test(tests, a_right_value_that_looks_like_poison_is_right);
    tcase_add_loop_test(tests, every_type_is_compared_by_its_own_size, 0, 7);
    tcase_add_test(tests, coordinates_name_rows_and_columns);
    tcase_add_test(tests, the_first_wrong_element_is_described);
    tcase_add_test(tests, values_that_print_alike_get_all_their_digits);
    tcase_add_test(tests, what_stays_as_it_was_before_the_call_was_never_written);
    tcase_add_test(tests, what_is_within_the_tolerance_by_chance_was_not_written_either);
    tcase_add_test(tests, a_wrong_integer_may_be_by_chance_what_was_there);
    tcase_add_test(tests, elements_that_were_never_written_are_told_apart);
    tcase_add_test(tests, a_tolerance_is_told_with_the_error);
    return run_tests("compare", tests);
}
