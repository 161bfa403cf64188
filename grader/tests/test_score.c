/* test_score.c - points: every part alone, the step that they are for, tiers, spreads, and the trouble that is told first. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "base/tests/run.h"
#include "grader/score.h"

/* Every step asks for more of what `a` counts per `b`, the last one for another counter too. */
#define A_PER_B(least, words)                                                                                \
    {                                                                                                        \
        .counter = "a", .per = "b", .at_least = least, .at_most = 9, .meaning = "a per b", .hint = words     \
    }

static const struct lab_stage stages[] = {
    {.id = "naive", .title = "naive", .entry = "f", .is_given = true},
    {.id = "tiled",
     .title = "tiled",
     .entry = "g",
     .todo = {1, 0},
     .points = {.correct = 12},
     .bounds = {A_PER_B(1, "a bound's words")},
     .speed = {{1.2, 8}}},
    {.id = "padded",
     .title = "padded",
     .entry = "transpose_padded",
     .todo = {2, 0},
     .points = {.correct = 10, .clean = 5, .concept = 7},
     .bounds = {A_PER_B(1.5, "the first bound's words"), {"c", NULL, 0, 5, "c", "the second bound's words"}},
     .speed = {{1.5, 3}, {2.0, 4}},
     .hints = {{LAB_RACE, "own words about races"}}},
    {.id = "plain", .title = "plain", .entry = "h", .todo = {3, 0}, .points = {.correct = 20, .clean = 4}},
    {.id = "timed",
     .title = "timed",
     .entry = "i",
     .todo = {4, 0},
     .points = {.correct = 20},
     .speed = {{4, 20}}},
};
static const struct lab lab_of_steps = {.id = "lab9", LAB_STAGES(stages), .baseline = "baseline"};
static const struct lab_stage *stage;

static struct verdict *verdict;
static struct score score;

static void add_case(uint32_t which, enum lab_symptom symptom)
{
    struct lab_outcome one = {.which = which, .is_right = symptom == LAB_NO_SYMPTOM, .symptom = symptom};
    verdict_add_case(verdict, &one);
}

static void add_message(const char *severity, const char *title, enum lab_symptom symptom)
{
    struct verdict_message message = {.symptom = symptom, .text = "text"};
    snprintf(message.severity, sizeof message.severity, "%s", severity);
    snprintf(message.title, sizeof message.title, "%s", title);
    verdict_add_message(verdict, &message);
}

static void set_time(double low, double speedup, double high)
{
    verdict->time.is_known = true;
    verdict->time.samples = 1;
    verdict->time.low = low;
    verdict->time.speedup = speedup;
    verdict->time.high = high;
}

static struct verdict_counter *counter(const char *name)
{
    for (uint32_t i = 0; i < verdict->ncounters; i++)
        if (!strcmp(verdict->counters[i].name, name))
            return &verdict->counters[i];
    return NULL;
}

/* All right, all clean, all fast. */
static void begin(void)
{
    stage = &stages[2];
    verdict = verdict_new();
    add_case(0, LAB_NO_SYMPTOM);
    add_case(1, LAB_NO_SYMPTOM);
    verdict_add_counter(verdict, "a", 3);
    verdict_add_counter(verdict, "b", 2);
    verdict_add_counter(verdict, "c", 5);
    set_time(3, 3, 3);
}

static void end(void)
{
    verdict_free(verdict);
}

static void run(void)
{
    score_stage(&lab_of_steps, stage, verdict, &score);
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

/* Missing elements may have several causes: the case that tells which goes before, whatever comes first. */
START_TEST(a_known_cause_goes_before_missing_elements)
{
    const struct lab_outcome partly = {.which = 2, .symptom = LAB_PARTLY, .known = "half is right"};
    const struct lab_outcome wrong = {
        .which = 3, .symptom = LAB_WRONG, .known = "not moved", .is_cause = true};
    verdict_add_case(verdict, _i ? &partly : &wrong);
    verdict_add_case(verdict, _i ? &wrong : &partly);
    run();
    ck_assert_uint_eq(score.fault->which, 3);
    ck_assert_str_eq(score.hint, "Not moved.");
}
END_TEST

START_TEST(a_finding_that_harms_no_result_costs_the_clean_points_only)
{
    add_message("error", "a call was refused", LAB_LAUNCH);
    run();
    ck_assert_int_eq(score.all.points, 24);
    ck_assert_int_eq(score.clean.points, 0);
    ck_assert_int_eq(score.symptom, LAB_LAUNCH);
    ck_assert(!score.is_grave);
}
END_TEST

static const enum lab_symptom grave[] = {LAB_FAULT,    LAB_MISALIGNED, LAB_STOPPED, LAB_ENDLESS,
                                         LAB_DEADLOCK, LAB_BARRIER,    LAB_LANES,   LAB_RACE,
                                         LAB_LOST,     LAB_BLOCKS,     LAB_STREAMS};

START_TEST(with_a_grave_finding_a_half_is_the_most)
{
    add_message("race", "a grave finding", grave[_i]);
    run();
    ck_assert(score.is_right && score.is_grave);
    ck_assert_int_eq(score.all.points, 14); /* of 29 */
    ck_assert_int_eq(score.correct.points, 10);
    ck_assert_int_eq(score.clean.points, 0);
    ck_assert_int_eq(score.concept.points, 4);
    ck_assert_int_eq(score.speed.points, 0);
    ck_assert_int_eq(score.symptom, grave[_i]);
}
END_TEST

START_TEST(who_goes_by_what_memory_held_before_earns_neither_concept_nor_speed)
{
    add_message("error", "read of uninitialised global memory", LAB_UNINITIALISED);
    run();
    ck_assert(score.is_right && score.is_grave && score.goes_by_leftovers);
    ck_assert_int_eq(score.correct.points, 10);
    ck_assert_int_eq(score.all.points, 10);
}
END_TEST

START_TEST(less_than_a_half_stays_as_it_is)
{
    counter("a")->value = 2;
    set_time(1.6, 1.6, 1.6); /* the lower tier of two */
    add_message("race", "race", LAB_RACE);
    run();
    ck_assert_int_eq(score.all.points, 10 + 3);
    ck_assert_str_eq(score.hint, "own words about races");
}
END_TEST

/* stages[1] has a tier of 1.2; stages[2] comes after it. */
START_TEST(what_is_slower_than_the_step_before_is_not_the_step)
{
    set_time(0.81, 0.81, 0.81);
    run();
    ck_assert(score.is_too_slow && !score.has_concept && score.is_earlier);
    ck_assert_int_eq(score.symptom, LAB_SLOW);
    set_time(0.97, 0.97, 0.97);
    run();
    ck_assert(!score.is_too_slow && score.has_concept);
}
END_TEST

/* Of 12 points, 9 of them beyond the quarter, where 7.36 is asked for. */
static const struct {
    double speedup;
    int points;
} slow_steps[] = {{7.36, 12}, {7.06, 11}, {6.9, 11}, {6.63, 11}, {6.5, 8},
                  {6.4, 6},   {6.3, 3},   {6.25, 3}, {1, 3}};

START_TEST(points_fall_gradually_where_a_step_is_slower_than_those_before)
{
    struct lab_stage twelve = {.id = "twelve",
                               .points = {.correct = 5, .clean = 3, .concept = 4},
                               .bounds = {A_PER_B(1, "words")},
                               .slowest = 7.36};
    const double speedup = slow_steps[_i].speedup;
    stage = &twelve;
    set_time(speedup, speedup, speedup);
    run();
    ck_assert_int_eq(score.all.points, slow_steps[_i].points);
    ck_assert_int_eq(score.is_earlier, speedup < 0.85 * 7.36);
    ck_assert_int_eq(score.has_concept, speedup >= 0.85 * 7.36);
    ck_assert_int_eq(score.symptom, score.all.points < 12 ? LAB_SLOW : LAB_NO_SYMPTOM);
}
END_TEST

/* Nothing but a tier of 20 points for 4x, beside 20 for right results: the quarter is 10. */
static const struct {
    double speedup;
    int points;
} near_tiers[] = {{4, 40}, {3.84, 39}, {3.6, 38}, {3.5, 19}, {3.4, 10}, {3, 10}};

START_TEST(points_fall_gradually_where_a_tier_is_missed)
{
    const double speedup = near_tiers[_i].speedup;
    stage = &stages[4];
    set_time(speedup, speedup, speedup);
    run();
    ck_assert_int_eq(score.all.points, near_tiers[_i].points);
    ck_assert_int_eq(score.misses_tier, speedup < 4);
    ck_assert_int_eq(score.is_earlier, speedup <= 3.4);
    ck_assert_int_eq(score.symptom, speedup < 4 ? LAB_SLOW : LAB_NO_SYMPTOM);
}
END_TEST

/* No point falls as a kernel gets faster. */
START_TEST(faster_never_earns_less)
{
    int last = 0;
    stage = &stages[_i];
    for (double speedup = 0.5; speedup < 5; speedup += 0.01) {
        set_time(speedup, speedup, speedup);
        run();
        ck_assert_int_ge(score.all.points, last);
        last = score.all.points;
    }
}
END_TEST

START_TEST(a_spread_that_reaches_the_step_before_is_not_too_slow)
{
    set_time(0.8, 0.81, 0.97);
    run();
    ck_assert(!score.is_too_slow && score.has_concept);
}
END_TEST

START_TEST(a_row_may_say_how_slow_its_step_may_be)
{
    struct lab_stage slow = stages[2];
    slow.slowest = 0.5;
    stage = &slow;
    set_time(0.51, 0.51, 0.51);
    run();
    ck_assert(!score.is_too_slow && score.has_concept);
    set_time(0.42, 0.42, 0.42);
    run();
    ck_assert(score.is_too_slow && !score.has_concept);
}
END_TEST

START_TEST(tiers_over_another_baseline_ask_for_no_speed)
{
    struct lab_stage rows[5];
    struct lab other = lab_of_steps;
    memcpy(rows, stages, sizeof rows);
    rows[1].baseline = "another";
    other.stages = rows;
    set_time(0.81, 0.81, 0.81);
    score_stage(&other, &rows[2], verdict, &score);
    ck_assert(!score.is_too_slow);
    set_time(0.79, 0.79, 0.79); /* but what all begins with is asked for */
    score_stage(&other, &rows[2], verdict, &score);
    ck_assert(score.is_too_slow);
}
END_TEST

START_TEST(of_several_findings_the_gravest_is_told)
{
    add_message("error", "uninitialised", LAB_UNINITIALISED);
    add_message("error", "barrier", LAB_BARRIER);
    add_message("race", "race", LAB_RACE);
    run();
    ck_assert_int_eq(score.symptom, LAB_BARRIER);
}
END_TEST

START_TEST(warnings_cost_nothing)
{
    add_message("warning", "memory is not given back", LAB_NO_SYMPTOM);
    run();
    ck_assert_int_eq(score.all.points, 29);
}
END_TEST

START_TEST(a_counter_out_of_bounds_costs_the_concept)
{
    counter("a")->value = 2;
    run();
    ck_assert_int_eq(score.concept.points, 0);
    ck_assert_int_eq(score.all.points, 22);
    ck_assert_int_eq(score.symptom, LAB_CONCEPT);
    counter("a")->value = 20;
    run();
    ck_assert_int_eq(score.concept.points, 0);
}
END_TEST

/* There are no counters of what was ended. */
START_TEST(what_was_ended_is_too_slow_whatever_its_counters)
{
    set_time(0.1, 0.1, 0.1);
    verdict->time.samples = 0;
    counter("a")->value = 2;
    run();
    ck_assert_int_eq(score.symptom, LAB_SLOW);
    ck_assert_ptr_nonnull(strstr(score.hint, "one warp does what all blocks should share"));
}
END_TEST

START_TEST(the_first_bound_that_is_missed_says_what_to_do)
{
    counter("c")->value = 6;
    run();
    ck_assert_str_eq(score.hint, "the second bound's words");
    counter("a")->value = 2;
    run();
    ck_assert_str_eq(score.hint, "the first bound's words");
}
END_TEST

START_TEST(a_stage_s_own_words_about_the_concept_come_first)
{
    struct lab_stage outspoken = stages[2];
    outspoken.hints[1] = (struct lab_hint){LAB_CONCEPT, "the stage's words", NULL};
    stage = &outspoken;
    counter("a")->value = 2;
    run();
    ck_assert_str_eq(score.hint, "the stage's words");
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
    counter("a")->value = NAN;
    run();
    ck_assert_int_eq(score.concept.points, 0);
}
END_TEST

/* ------------------------------------------------------------------------------------------- points are for the step */

START_TEST(without_bound_and_tier_a_quarter_is_the_most)
{
    counter("a")->value = 2;
    set_time(1, 1, 1);
    run();
    ck_assert(score.is_earlier);
    ck_assert_int_eq(score.all.points, 29 / 4);
    ck_assert_int_eq(score.correct.points, 7);
    ck_assert_int_eq(score.clean.points, 0);
    ck_assert(score.is_right && score.is_clean);
    ck_assert_ptr_eq(score.earlier, &stages[1]);
}
END_TEST

START_TEST(less_than_a_quarter_stays_as_it_is)
{
    struct lab_stage modest = stages[2];
    modest.points.correct = 2;
    stage = &modest;
    counter("a")->value = 2;
    set_time(1, 1, 1);
    add_message("race", "race", LAB_RACE);
    run();
    ck_assert(score.is_earlier);
    ck_assert_int_eq(score.all.points, 2);
}
END_TEST

START_TEST(one_tier_shows_the_step)
{
    counter("a")->value = 2;
    set_time(1.6, 1.6, 1.6);
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 10 + 5 + 3);
}
END_TEST

START_TEST(where_a_bound_is_needed_no_tier_shows_the_step_without_it)
{
    struct lab_stage strict = stages[2];
    strict.bounds[0].is_needed = true;
    stage = &strict;
    counter("a")->value = 2;
    run();
    ck_assert(score.is_earlier);
    ck_assert_int_eq(score.all.points, 29 / 4);
    counter("a")->value = 3;
    counter("c")->value = 6; /* the other one is not needed */
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 10 + 5 + 7);
}
END_TEST

START_TEST(all_bounds_show_the_step)
{
    set_time(1, 1, 1);
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 10 + 5 + 7);
    counter("c")->value = 6; /* one of two is not all */
    run();
    ck_assert(score.is_earlier);
}
END_TEST

START_TEST(a_finding_costs_its_points_and_does_not_hide_the_step)
{
    set_time(1, 1, 1);
    add_message("race", "race", LAB_RACE);
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 14); /* a half of 29; a quarter would be 7 */
}
END_TEST

START_TEST(where_nothing_else_is_asked_right_results_are_the_step)
{
    stage = &stages[3];
    verdict->ncounters = 0;
    verdict->time.is_known = false;
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 24);
}
END_TEST

START_TEST(wrong_results_are_no_earlier_step)
{
    counter("a")->value = 2;
    set_time(1, 1, 1);
    add_case(2, LAB_WRONG);
    run();
    ck_assert(!score.is_earlier);
    ck_assert_int_eq(score.all.points, 0);
}
END_TEST

/* a per b, speedup, and the step that it is taken for in the last slot: -1 is none, it is shown. */
static const struct {
    double a, speedup;
    int earlier;
} earlier[] = {{3, 3, 2}, {2, 1, 1}, {2, 1.3, 1}, {1, 1.3, 1}, {1, 1, 0}, {3, 1, 2}, {1, 1.6, 2}, {1, 5, -1}};

START_TEST(the_latest_step_that_shows_is_named)
{
    stage = &stages[4];
    counter("a")->value = earlier[_i].a;
    set_time(earlier[_i].speedup, earlier[_i].speedup, earlier[_i].speedup);
    run();
    ck_assert_ptr_eq(score.earlier, earlier[_i].earlier < 0 ? NULL : &stages[earlier[_i].earlier]);
    ck_assert(score.is_earlier == (earlier[_i].earlier >= 0));
}
END_TEST

START_TEST(tiers_over_another_baseline_tell_nothing)
{
    struct lab_stage rows[5];
    struct lab other = lab_of_steps;
    memcpy(rows, stages, sizeof rows);
    rows[4].baseline = "another";
    other.stages = rows;
    counter("a")->value = 1; /* no bound of tiled or padded holds; speedups of 1.3 would be tiled's tier */
    set_time(1.3, 1.3, 1.3);
    score_stage(&other, &rows[4], verdict, &score);
    ck_assert_ptr_eq(score.earlier, &rows[0]);
}
END_TEST

/* ------------------------------------------------------------------------------------------- what is known */

static void add_known(enum lab_symptom symptom, const char *known, bool is_cause)
{
    struct lab_outcome one = {.which = 2, .symptom = symptom, .is_cause = is_cause};
    snprintf(one.known, sizeof one.known, "%s", known);
    verdict_add_case(verdict, &one);
}

static const struct {
    enum lab_symptom symptom;
    bool is_cause, is_advice;
} advice[] = {
    {LAB_WRONG, true, true},         {LAB_WRONG, false, false},    {LAB_EDGE, true, true},
    {LAB_EDGE, false, false},        {LAB_PARTLY, true, true},     {LAB_PARTLY, false, false},
    {LAB_UNINITIALISED, true, true}, {LAB_HOST_READ, true, false}, {LAB_RACE, true, false},
};

START_TEST(a_cause_that_is_known_is_the_advice)
{
    add_known(advice[_i].symptom, "it is doubled", advice[_i].is_cause);
    run();
    ck_assert_int_eq(score.is_known, advice[_i].is_advice);
    if (advice[_i].is_advice)
        ck_assert_str_eq(score.hint, "It is doubled.");
    else
        ck_assert_str_ne(score.hint, "It is doubled.");
}
END_TEST

/* ------------------------------------------------------------------------------------------- speed */

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
    ck_assert_int_eq(score.all.points, 22);
}
END_TEST

START_TEST(a_spread_over_the_threshold_is_decided_for_the_student)
{
    set_time(1.9, 1.98, 2.05);
    run();
    ck_assert_int_eq(score.speed.points, 7);
    ck_assert(score.is_generous);
    set_time(1.7, 1.81, 1.82);
    run();
    ck_assert_int_eq(score.speed.points, 6); /* 3 and 0.91 of 4 */
    ck_assert(!score.is_generous && score.misses_tier);
}
END_TEST

START_TEST(a_measurement_that_leaves_everything_open_earns_no_more)
{
    set_time(0.8, 1.0, 2.5);
    run();
    ck_assert_int_eq(score.speed.points, 0);
    set_time(0.8, 1.7, 2.5);
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
    score_failed(&lab_of_steps, stage, LAB_ENDLESS, NULL, NULL, &score);
    ck_assert_int_eq(score.all.points, 0);
    ck_assert_int_eq(score.all.most, 29);
    ck_assert(*score.hint);
    score_failed(&lab_of_steps, stage, LAB_ENDLESS, "better words", NULL, &score);
    ck_assert_str_eq(score.hint, "better words");
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
    tcase_add_loop_test(tests, a_known_cause_goes_before_missing_elements, 0, 2);
    tcase_add_test(tests, a_finding_that_harms_no_result_costs_the_clean_points_only);
    tcase_add_loop_test(tests, with_a_grave_finding_a_half_is_the_most, 0, LAB_COUNT(grave));
    tcase_add_test(tests, who_goes_by_what_memory_held_before_earns_neither_concept_nor_speed);
    tcase_add_test(tests, less_than_a_half_stays_as_it_is);
    tcase_add_test(tests, what_is_slower_than_the_step_before_is_not_the_step);
    tcase_add_loop_test(tests, points_fall_gradually_where_a_step_is_slower_than_those_before, 0,
                        LAB_COUNT(slow_steps));
    tcase_add_loop_test(tests, points_fall_gradually_where_a_tier_is_missed, 0, LAB_COUNT(near_tiers));
    tcase_add_loop_test(tests, faster_never_earns_less, 1, 5);
    tcase_add_test(tests, a_spread_that_reaches_the_step_before_is_not_too_slow);
    tcase_add_test(tests, a_row_may_say_how_slow_its_step_may_be);
    tcase_add_test(tests, tiers_over_another_baseline_ask_for_no_speed);
    tcase_add_test(tests, of_several_findings_the_gravest_is_told);
    tcase_add_test(tests, warnings_cost_nothing);
    tcase_add_test(tests, a_counter_out_of_bounds_costs_the_concept);
    tcase_add_test(tests, what_was_ended_is_too_slow_whatever_its_counters);
    tcase_add_test(tests, the_first_bound_that_is_missed_says_what_to_do);
    tcase_add_test(tests, a_stage_s_own_words_about_the_concept_come_first);
    tcase_add_test(tests, a_counter_that_is_missing_costs_the_concept);
    tcase_add_test(tests, a_counter_that_is_no_number_costs_the_concept);
    tcase_add_test(tests, without_bound_and_tier_a_quarter_is_the_most);
    tcase_add_test(tests, less_than_a_quarter_stays_as_it_is);
    tcase_add_test(tests, one_tier_shows_the_step);
    tcase_add_test(tests, where_a_bound_is_needed_no_tier_shows_the_step_without_it);
    tcase_add_test(tests, all_bounds_show_the_step);
    tcase_add_test(tests, a_finding_costs_its_points_and_does_not_hide_the_step);
    tcase_add_test(tests, where_nothing_else_is_asked_right_results_are_the_step);
    tcase_add_test(tests, wrong_results_are_no_earlier_step);
    tcase_add_loop_test(tests, the_latest_step_that_shows_is_named, 0, LAB_COUNT(earlier));
    tcase_add_test(tests, tiers_over_another_baseline_tell_nothing);
    tcase_add_loop_test(tests, a_cause_that_is_known_is_the_advice, 0, LAB_COUNT(advice));
    tcase_add_test(tests, tiers_are_given_one_by_one);
    tcase_add_test(tests, a_spread_over_the_threshold_is_decided_for_the_student);
    tcase_add_test(tests, a_measurement_that_leaves_everything_open_earns_no_more);
    tcase_add_test(tests, an_unknown_time_earns_no_speed);
    tcase_add_test(tests, a_stage_that_did_not_run_has_a_hint);
    return run_tests("score", tests);
}
