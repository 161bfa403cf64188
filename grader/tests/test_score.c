/* test_score.c - points: every part alone, tiers, spreads, and the trouble that is told first. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "grader/score.h"

static const struct lab_stage stage = {
    .id = "padded",
    .title = "padded",
    .entry = "transpose_padded",
    .correct = 10,
    .clean = 5,
    .concept = 7,
    .bounds = {{.counter = "a", .per = "b", .at_least = 1, .at_most = 2, .meaning = "a per b"}},
    .speed = {{1.5, 3}, {2.0, 4}},
    .hints = {{LAB_RACE, "own words about races"}},
};

static struct verdict *verdict;
static struct score score;

static void add_case(uint32_t which, enum lab_symptom symptom)
{
    struct verdict_case one = {.which = which, .is_right = symptom == LAB_NO_SYMPTOM, .symptom = symptom};
    verdict_add_case(verdict, &one);
}

static void add_message(const char *severity, const char *title)
{
    struct verdict_message message = {.text = "text"};
    snprintf(message.severity, sizeof message.severity, "%s", severity);
    snprintf(message.title, sizeof message.title, "%s", title);
    verdict_add_message(verdict, &message);
}

static void set_time(double low, double speedup, double high)
{
    verdict->time.is_known = true;
    verdict->time.low = low;
    verdict->time.speedup = speedup;
    verdict->time.high = high;
}

/* All right, all clean, all fast. */
static void begin(void)
{
    verdict = verdict_new();
    add_case(0, LAB_NO_SYMPTOM);
    add_case(1, LAB_NO_SYMPTOM);
    verdict_add_counter(verdict, "a", 3);
    verdict_add_counter(verdict, "b", 2);
    set_time(3, 3, 3);
}

static void end(void)
{
    verdict_free(verdict);
}

static void run(void)
{
    score_stage(&stage, verdict, &score);
}

START_TEST(a_perfect_stage_gets_every_point)
{
    run();
    ck_assert_int_eq(score.all.points, 29);
    ck_assert_int_eq(score.all.most, 29);
    ck_assert_int_eq(score.symptom, LAB_NO_SYMPTOM);
    ck_assert_double_eq(score.needed, 2.0);
}
END_TEST

START_TEST(one_wrong_case_takes_all_points)
{
    add_case(2, LAB_WRONG);
    run();
    ck_assert_int_eq(score.all.points, 0);
    ck_assert_int_eq(score.symptom, LAB_WRONG);
    ck_assert_uint_eq(score.fault->which, 2);
}
END_TEST

START_TEST(no_case_at_all_is_not_right)
{
    verdict->ncases = 0;
    run();
    ck_assert_int_eq(score.all.points, 0);
}
END_TEST

START_TEST(the_graver_symptom_is_told)
{
    add_case(2, LAB_WRONG);
    add_case(3, LAB_FAULT);
    add_case(4, LAB_PARTLY);
    run();
    ck_assert_int_eq(score.symptom, LAB_FAULT);
    ck_assert_uint_eq(score.fault->which, 3);
}
END_TEST

START_TEST(findings_cost_the_clean_points_only)
{
    add_message("race", "race between two warps");
    run();
    ck_assert_int_eq(score.all.points, 24);
    ck_assert_int_eq(score.clean.points, 0);
    ck_assert_int_eq(score.symptom, LAB_RACE);
    ck_assert_str_eq(score.hint, "own words about races");
}
END_TEST

START_TEST(warnings_cost_nothing)
{
    add_message("warning", "memory is not given back");
    run();
    ck_assert_int_eq(score.all.points, 29);
}
END_TEST

START_TEST(a_counter_out_of_bounds_costs_the_concept)
{
    verdict->counters[0].value = 5;
    run();
    ck_assert_int_eq(score.concept.points, 0);
    ck_assert_int_eq(score.all.points, 22);
    ck_assert_int_eq(score.symptom, LAB_CONCEPT);
    verdict->counters[0].value = 1;
    run();
    ck_assert_int_eq(score.concept.points, 0);
}
END_TEST

START_TEST(a_counter_that_is_missing_costs_the_concept)
{
    verdict->ncounters = 1;
    run();
    ck_assert_int_eq(score.concept.points, 0);
    ck_assert(!score.bounds[0].is_known);
}
END_TEST

START_TEST(a_counter_that_is_no_number_costs_the_concept)
{
    verdict->counters[0].value = NAN;
    run();
    ck_assert_int_eq(score.concept.points, 0);
}
END_TEST

START_TEST(tiers_are_given_one_by_one)
{
    set_time(1.7, 1.7, 1.7);
    run();
    ck_assert_int_eq(score.speed.points, 3);
    ck_assert_double_eq(score.needed, 2.0);
    ck_assert_int_eq(score.symptom, LAB_SLOW);
    set_time(1, 1, 1);
    run();
    ck_assert_int_eq(score.speed.points, 0);
    ck_assert_double_eq(score.needed, 1.5);
}
END_TEST

START_TEST(a_spread_over_the_threshold_is_decided_for_the_student)
{
    set_time(1.9, 1.98, 2.05);
    run();
    ck_assert_int_eq(score.speed.points, 7);
    ck_assert(score.is_generous);
    set_time(1.9, 1.95, 1.99);
    run();
    ck_assert_int_eq(score.speed.points, 3);
    ck_assert(!score.is_generous);
}
END_TEST

START_TEST(an_unknown_time_earns_no_speed)
{
    verdict->time.is_known = false;
    run();
    ck_assert_int_eq(score.speed.points, 0);
    ck_assert(!score.has_speedup);
}
END_TEST

START_TEST(a_stage_that_did_not_run_has_a_hint)
{
    score_failed(&stage, LAB_ENDLESS, &score);
    ck_assert_int_eq(score.all.points, 0);
    ck_assert_int_eq(score.all.most, 29);
    ck_assert_ptr_nonnull(score.hint);
    ck_assert(*score.hint);
}
END_TEST

START_TEST(every_symptom_has_a_name_and_a_hint)
{
    enum lab_symptom symptom = (enum lab_symptom)_i;
    ck_assert(*score_symptom_name(symptom));
    ck_assert(*score_hint(&stage, symptom));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("score");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_perfect_stage_gets_every_point);
    tcase_add_test(tests, one_wrong_case_takes_all_points);
    tcase_add_test(tests, no_case_at_all_is_not_right);
    tcase_add_test(tests, the_graver_symptom_is_told);
    tcase_add_test(tests, findings_cost_the_clean_points_only);
    tcase_add_test(tests, warnings_cost_nothing);
    tcase_add_test(tests, a_counter_out_of_bounds_costs_the_concept);
    tcase_add_test(tests, a_counter_that_is_missing_costs_the_concept);
    tcase_add_test(tests, a_counter_that_is_no_number_costs_the_concept);
    tcase_add_test(tests, tiers_are_given_one_by_one);
    tcase_add_test(tests, a_spread_over_the_threshold_is_decided_for_the_student);
    tcase_add_test(tests, an_unknown_time_earns_no_speed);
    tcase_add_test(tests, a_stage_that_did_not_run_has_a_hint);
    tcase_add_loop_test(tests, every_symptom_has_a_name_and_a_hint, LAB_NO_SYMPTOM + 1, LAB_SYMPTOMS);
    Suite *suite = suite_create("score");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
