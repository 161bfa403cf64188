/* test_table.c - finding stages, cases and points in a lab's tables, and finding the flaws of a table.
 * A small lab without flaws is copied and spoilt, one thing at a time: a row of `flaws` each. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/answer.h"
#include "lab/lab.h"

/* ------------------------------------------------------------------------------------------- a small lab */

enum { STAGES = 3, CASES = 2 };

/* The lab as a whole, so that it can be copied and changed. */
static struct {
    struct lab lab;
    struct lab_stage stages[STAGES];
    struct lab_case cases[CASES];
} small;

static void layout(struct lab_run *run)
{
    lab_add_2d(run, LAB_OUT, LAB_FLOAT, "out", run->size[0], run->size[1]);
    lab_add(run, LAB_IN, LAB_INT, "in", run->size[0]);
}

static void call(const struct lab_run *run)
{
    (void)run;
}

static void reference(const struct lab_run *run, int index, void *expected)
{
    memset(expected, 0, lab_buffer_bytes(&run->buffers[index]));
}

static double work(const struct lab_run *run)
{
    return (double)run->size[0];
}

static void set_up(void)
{
    small.stages[0] = (struct lab_stage){.id = "slow", .title = "given", .entry = "slow", .is_given = true};
    small.stages[1] = (struct lab_stage){
        .id = "fast",
        .title = "fast",
        .entry = "fast",
        .todo = {1, .section = 2},
        .points = {.correct = 40, .clean = 10, .concept = 20},
        .bounds = {{.counter = "barriers", .at_least = 1, .at_most = 2, .meaning = "barriers"}},
        .speed = {{1.5, 10}, {2, 20}},
        .hints = {{LAB_WRONG, "think"}, {LAB_RACE, "wait"}},
    };
    small.stages[2] = (struct lab_stage){.id = "more",
                                         .title = "more",
                                         .entry = "more",
                                         .todo = {2, 0},
                                         .points = {.correct = 5},
                                         .is_bonus = true};
    small.cases[0] = (struct lab_case)LAB_CASE(33, 65);
    small.cases[1] = (struct lab_case)LAB_CASE_OF("fast", 1, 2);
    small.lab = (struct lab){.id = "lab99",
                             .title = "a small lab",
                             .size_names = {"width", "height"},
                             .size_options = {'n', 'm'},
                             LAB_STAGES(small.stages),
                             LAB_CASES(small.cases),
                             .timed = LAB_CASE(100, 100),
                             .unit = "Gpoints/s",
                             .baseline = "baseline_slow",
                             .layout = layout,
                             .call = call,
                             .reference = reference,
                             .work = work};
}

/* ------------------------------------------------------------------------------------------- finding */

START_TEST(stages_are_found_by_id_and_by_row)
{
    ck_assert_ptr_eq(lab_find_stage(&small.lab, "fast"), &small.stages[1]);
    ck_assert_ptr_eq(lab_find_stage(&small.lab, "1"), &small.stages[0]);
    ck_assert_ptr_eq(lab_find_stage(&small.lab, "3"), &small.stages[2]);
    static const char *const wrong[] = {"", "0", "4", "-1", "2x", "fas", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(!lab_find_stage(&small.lab, wrong[i]), "%s", wrong[i]);
}
END_TEST

START_TEST(points_add_up_without_the_bonus)
{
    ck_assert_int_eq(lab_stage_points(&small.stages[0]), 0);
    ck_assert_int_eq(lab_stage_points(&small.stages[1]), 100);
    ck_assert_int_eq(lab_stage_points(&small.stages[2]), 5);
    ck_assert_int_eq(lab_max_points(&small.lab), 100);
}
END_TEST

START_TEST(a_case_is_described_by_its_sizes)
{
    char text[40], brief[8];
    lab_describe_case(&small.lab, &small.stages[1], &small.cases[0], text, sizeof text);
    ck_assert_str_eq(text, "width 33, height 65");
    lab_describe_case(&small.lab, &small.stages[1], &small.cases[0], brief, sizeof brief);
    ck_assert_str_eq(brief, "width 3");
}
END_TEST

static void describe(const struct lab_run *run, char *out, size_t size)
{
    snprintf(out, size, "count %ld", run->size[0] * run->size[1]);
}

START_TEST(a_lab_may_name_cases_by_what_kernels_see)
{
    char text[80];
    small.lab.describe = describe;
    lab_describe_case(&small.lab, &small.stages[1], &small.cases[0], text, sizeof text);
    ck_assert_str_eq(text, "count 2145");
    lab_describe_case(&small.lab, NULL, &small.cases[0], text, sizeof text);
    ck_assert_str_eq(text, "width 33, height 65");
}
END_TEST

START_TEST(a_case_may_belong_to_one_stage)
{
    ck_assert(lab_case_applies(&small.cases[0], &small.stages[0]));
    ck_assert(lab_case_applies(&small.cases[1], &small.stages[1]));
    ck_assert(!lab_case_applies(&small.cases[1], &small.stages[2]));
}
END_TEST

START_TEST(a_row_names_the_gpus_on_which_its_tiers_are_apart)
{
    ck_assert(!lab_is_apart_on(&small.stages[1], "t4"));
    small.stages[1].apart_on = "a100  t4";
    ck_assert(lab_is_apart_on(&small.stages[1], "a100"));
    ck_assert(lab_is_apart_on(&small.stages[1], "t4"));
    static const char *const others[] = {"", "a10", "a1000", "4", "a100  t4", "v100"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert_msg(!lab_is_apart_on(&small.stages[1], others[i]), "%s", others[i]);
}
END_TEST

START_TEST(steps_follow_each_other_from_a_given_one)
{
    ck_assert_ptr_null(lab_previous(&small.lab, &small.stages[0]));
    ck_assert_ptr_eq(lab_previous(&small.lab, &small.stages[1]), &small.stages[0]);
    ck_assert_ptr_eq(lab_previous(&small.lab, &small.stages[2]), &small.stages[1]);
    small.stages[2].previous = "slow";
    ck_assert_ptr_eq(lab_previous(&small.lab, &small.stages[2]), &small.stages[0]);
    small.stages[2].is_first = true;
    ck_assert_ptr_null(lab_previous(&small.lab, &small.stages[2]));
    small.stages[1].is_given = true;
    ck_assert_ptr_null(lab_previous(&small.lab, &small.stages[1]));
}
END_TEST

/* ------------------------------------------------------------------------------------------- stages of their own */

static void other_layout(struct lab_run *run)
{
    lab_add_3d(run, LAB_OUT, LAB_DOUBLE, "volume", 2, 3, 4);
}

static void other_reference(const struct lab_run *run, int index, void *expected)
{
    (void)index;
    ((double *)expected)[0] = *(const double *)run->stage->own;
}

static double other_work(const struct lab_run *run)
{
    return run->size[0] == 7 ? 42 : 0;
}

START_TEST(a_stage_may_differ_from_its_lab)
{
    static const double own = 5;
    struct lab_run run;
    double expected[24], poison;
    memset(&poison, LAB_POISON, sizeof poison);
    struct lab_stage *stage = &small.stages[2];
    stage->layout = other_layout, stage->reference = other_reference, stage->work = other_work;
    stage->timed = (struct lab_case)LAB_CASE(7, 1), stage->own = &own;
    stage->baseline = "baseline_other", stage->answer = "baseline_right";
    ck_assert_ptr_eq(lab_timed_case(&small.lab, stage), &stage->timed);
    lab_begin_run(&run, &small.lab, stage, lab_timed_case(&small.lab, stage), 1);
    ck_assert_str_eq(run.buffers[0].name, "volume");
    ck_assert_int_eq(run.buffers[0].dims[2], 4);
    ck_assert_uint_eq(run.buffers[0].count, 24);
    lab_reference(&run, 0, expected);
    ck_assert_double_eq(expected[0], 5);
    ck_assert_mem_eq(&expected[1], &poison, sizeof poison);
    ck_assert_double_eq(lab_work(&run), 42);
    ck_assert_str_eq(lab_baseline(&small.lab, stage), "baseline_other");
    ck_assert_str_eq(lab_answer(&small.lab, stage), "baseline_right");
}
END_TEST

static bool other_element(const struct lab_run *run, int index, size_t i, double *value)
{
    (void)run;
    (void)index;
    *value = (double)i;
    return i != 1;
}

START_TEST(elements_of_a_stage_go_before_the_reference_of_its_lab)
{
    static const double own = 5;
    struct lab_run run;
    double expected[24], poison;
    memset(&poison, LAB_POISON, sizeof poison);
    struct lab_stage *stage = &small.stages[2];
    small.lab.reference = other_reference;
    stage->layout = other_layout, stage->element = other_element, stage->own = &own;
    stage->timed = (struct lab_case)LAB_CASE(7, 1);
    lab_begin_run(&run, &small.lab, stage, lab_timed_case(&small.lab, stage), 1);
    lab_reference(&run, 0, expected);
    ck_assert_double_eq(expected[0], 0);
    ck_assert_mem_eq(&expected[1], &poison, sizeof poison);
    ck_assert_double_eq(expected[23], 23);
}
END_TEST

static void questions_layout(struct lab_run *run)
{
    lab_add_answers(run, 3);
    lab_add_sheet(run, 3);
}

START_TEST(a_stage_that_only_asks_is_compared_with_nothing)
{
    struct lab_stage *stage = &small.stages[2];
    stage->layout = questions_layout;
    ck_assert_ptr_null(lab_baseline(&small.lab, stage));
    ck_assert_ptr_null(lab_answer(&small.lab, stage));
    stage->baseline = "baseline_other";
    ck_assert_str_eq(lab_baseline(&small.lab, stage), "baseline_other");
}
END_TEST

START_TEST(what_a_stage_does_not_say_its_lab_says)
{
    struct lab_run run;
    const struct lab_stage *stage = &small.stages[1];
    ck_assert_ptr_eq(lab_timed_case(&small.lab, stage), &small.lab.timed);
    lab_begin_run(&run, &small.lab, stage, &small.lab.timed, 1);
    ck_assert_str_eq(run.buffers[0].name, "out");
    ck_assert_double_eq(lab_work(&run), 100);
    ck_assert_str_eq(lab_baseline(&small.lab, stage), "baseline_slow");
    ck_assert_str_eq(lab_answer(&small.lab, stage), "baseline_slow");
}
END_TEST

START_TEST(work_in_bytes_is_what_inputs_and_outputs_hold)
{
    struct lab_run run;
    small.lab.unit = "GB/s", small.lab.work = NULL;
    ck_assert_ptr_null(lab_find_flaw(&small.lab));
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.lab.timed, 1);
    lab_add(&run, LAB_SCRATCH, LAB_DOUBLE, "scratch", 1000);
    ck_assert_double_eq_tol(lab_work(&run), 1e-9 * (4 * 100 * 100 + 4 * 100), 1e-15);
}
END_TEST

START_TEST(a_case_is_named_for_the_command_line)
{
    char text[80];
    const struct lab_case drawn = LAB_CASE(7, 100), none = LAB_CASE(0, 9);
    lab_write_options(&small.lab, &small.stages[1], 1, &small.cases[1], text, sizeof text);
    ck_assert_str_eq(text, "--case 2");
    lab_write_options(&small.lab, &small.stages[1], 2, &drawn, text, sizeof text);
    ck_assert_str_eq(text, "-n 7"); /* the other one is as in the timed case */
    lab_write_options(&small.lab, &small.stages[1], LAB_MIDDLE, &none, text, sizeof text);
    ck_assert_str_eq(text, "-n 0 -m 9");
    lab_write_options(&small.lab, &small.stages[1], LAB_TIMED, &small.lab.timed, text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(a_stage_may_have_a_unit_of_its_own)
{
    ck_assert_str_eq(lab_unit(&small.lab, &small.stages[1]), "Gpoints/s");
    small.stages[1].unit = "GB/s";
    ck_assert_str_eq(lab_unit(&small.lab, &small.stages[1]), "GB/s");
    small.lab.work = NULL;
    const char *flaw = lab_find_flaw(&small.lab);
    ck_assert_ptr_nonnull(flaw);
    ck_assert_ptr_nonnull(strstr(flaw, "stage slow has no work")); /* the others' unit is not bytes */
    small.stages[0].unit = small.stages[2].unit = "GB/s";
    ck_assert_ptr_null(lab_find_flaw(&small.lab));
}
END_TEST

START_TEST(a_later_step_contains_those_before_it_and_what_its_row_says)
{
    ck_assert(lab_contains(&small.lab, &small.stages[2], &small.stages[1]));
    ck_assert(!lab_contains(&small.lab, &small.stages[1], &small.stages[2]));
    small.stages[2].previous = "slow";
    ck_assert(!lab_contains(&small.lab, &small.stages[2], &small.stages[1]));
    small.stages[0].contains = "none fast"; /* and with it what follows */
    ck_assert(lab_contains(&small.lab, &small.stages[2], &small.stages[1]));
}
END_TEST

/* ------------------------------------------------------------------------------------------- tolerance */

static void real_layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "plain", 1);
    lab_add(run, LAB_OUT, LAB_FLOAT, "long_sum", 1)->operations = 1000;
    lab_add(run, LAB_OUT, LAB_DOUBLE, "precise", 1)->scale = 100;
    lab_add(run, LAB_OUT, LAB_FLOAT, "moved", 1)->is_exact = true;
    lab_add(run, LAB_OUT, LAB_INT, "count", 1);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_FLOAT, "in", 1);
    in->low = -5, in->high = 3;
}

START_TEST(tolerance_follows_from_operations_and_scale)
{
    struct lab_run run;
    small.lab.layout = real_layout;
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.lab.timed, 1);
    const double single = 1.0 / (1 << 24), both = single * single / 32; /* 2^-24 and 2^-53 */
    ck_assert_double_eq(run.buffers[0].relative, 8 * single);
    ck_assert_double_eq(run.buffers[0].absolute, 8 * single * 5);
    ck_assert_double_eq(run.buffers[1].relative, 1000 * single);
    ck_assert_double_eq(run.buffers[1].absolute, 1000 * single * 5);
    ck_assert_double_eq(run.buffers[2].relative, 8 * both);
    ck_assert_double_eq(run.buffers[2].absolute, 8 * both * 100);
    for (int i = 3; i < 5; i++)
        ck_assert(run.buffers[i].relative == 0 && run.buffers[i].absolute == 0);
    small.stages[1].operations = 20;
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.lab.timed, 1);
    ck_assert_double_eq(run.buffers[1].relative, 20 * single);
}
END_TEST

START_TEST(without_real_inputs_the_scale_is_one)
{
    struct lab_run run;
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.lab.timed, 1);
    ck_assert_double_eq(run.buffers[0].absolute, run.buffers[0].relative);
}
END_TEST

START_TEST(a_run_has_its_buffers_declared)
{
    struct lab_run run;
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.cases[0], 42);
    ck_assert_int_eq(run.nbuffers, 2);
    ck_assert_uint_eq(lab_buffer_bytes(&run.buffers[0]), 33 * 65 * 4);
    ck_assert_str_eq(run.buffers[1].name, "in");
    ck_assert(run.buffers[0].low == 0 && run.buffers[0].high == 1);
    ck_assert(run.buffers[1].low == 0 && run.buffers[1].high == 255);
    ck_assert_uint_eq(run.seed, 42);
    ck_assert_int_eq(run.size[1], 65);
}
END_TEST

/* One output that host code fills is not enough where kernels have one to fill. */
START_TEST(nothing_is_replayed_where_host_code_gives_all_outputs)
{
    struct lab_run run;
    lab_begin_run(&run, &small.lab, &small.stages[1], &small.cases[0], 1);
    ck_assert(!lab_is_only_said(&run));
    run.buffers[0].is_host = run.buffers[0].is_said = true;
    ck_assert(lab_is_only_said(&run));
    lab_add(&run, LAB_SCRATCH, LAB_FLOAT, "scratch", 1);
    ck_assert(lab_is_only_said(&run));
    lab_add(&run, LAB_OUT, LAB_FLOAT, "more", 1);
    ck_assert(!lab_is_only_said(&run));
}
END_TEST

/* ------------------------------------------------------------------------------------------- flaws */

static void no_title(void)
{
    small.lab.title = NULL;
}

static void no_call(void)
{
    small.lab.call = NULL;
}

static void no_layout(void)
{
    small.lab.layout = NULL;
}

static void no_reference(void)
{
    small.lab.reference = NULL;
}

static void no_work(void)
{
    small.lab.work = NULL;
}

static void no_cases(void)
{
    small.lab.ncases = 0;
}

static void too_many_stages(void)
{
    small.lab.nstages = 100;
}

static void no_id(void)
{
    small.stages[1].id = "";
}

static void same_id(void)
{
    small.stages[2].id = "fast";
}

static void no_entry(void)
{
    small.stages[1].entry = NULL;
}

static void no_baseline(void)
{
    small.lab.baseline = NULL;
}

static void no_todo(void)
{
    small.stages[1].todo.number = 0;
}

static void negative_section(void)
{
    small.stages[1].todo.section = -1;
}

static void later_previous(void)
{
    small.stages[1].previous = "more";
}

static void strange_contained(void)
{
    small.stages[1].contains = "more none";
}

static void strange_previous(void)
{
    small.stages[1].previous = "none";
}

static void given_points(void)
{
    small.stages[0].points.correct = 1;
}

static void no_points(void)
{
    small.stages[2].points.correct = 0;
}

static void negative_points(void)
{
    small.stages[1].points.clean = -1;
}

static void too_few_points(void)
{
    small.stages[1].points.correct = 39;
}

static void bounds_without_points(void)
{
    small.stages[1].points.concept = 0;
}

static void points_without_bounds(void)
{
    small.stages[2].points.concept = 1;
}

static void bound_without_meaning(void)
{
    small.stages[1].bounds[0].meaning = NULL;
}

static void bound_without_limit(void)
{
    small.stages[1].bounds[0].at_least = small.stages[1].bounds[0].at_most = 0;
}

static void impossible_bound(void)
{
    small.stages[1].bounds[0].at_least = 3;
}

static void tier_without_points(void)
{
    small.stages[1].speed[1].points = 0;
}

static void falling_tiers(void)
{
    small.stages[1].speed[1].speedup = 1.5;
}

static void hint_without_symptom(void)
{
    small.stages[1].hints[1].symptom = LAB_NO_SYMPTOM;
}

static void hint_without_text(void)
{
    small.stages[1].hints[1].text = NULL;
}

static void hint_twice(void)
{
    small.stages[1].hints[1].symptom = LAB_WRONG;
}

static void name_without_option(void)
{
    small.lab.size_options[1] = 0;
}

static void same_option(void)
{
    small.lab.size_options[1] = 'n';
}

static void case_of_no_stage(void)
{
    small.cases[1].stage = "none";
}

static void stage_without_case(void)
{
    small.cases[0].stage = "fast";
}

static void nameless_timed_size(void)
{
    small.stages[2].timed = (struct lab_case)LAB_CASE(1, 1, 1);
}

static void nameless_size(void)
{
    small.cases[0].size[2] = 1;
}

static void empty_timed_case(void)
{
    small.lab.timed.size[1] = 0;
}

static void layout_with_input_first(struct lab_run *run)
{
    lab_add(run, LAB_IN, LAB_FLOAT, "in", 1);
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
}

static void input_first(void)
{
    small.lab.layout = layout_with_input_first;
}

static void layout_with_late_output(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
    lab_add(run, LAB_IN, LAB_FLOAT, "in", 1);
    lab_add(run, LAB_OUT, LAB_FLOAT, "late", 1);
}

static void late_output(void)
{
    small.lab.layout = layout_with_late_output;
}

static void layout_with_nine(struct lab_run *run)
{
    for (int i = 0; i < LAB_BUFFERS + 1; i++)
        lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
}

static void nine_buffers(void)
{
    small.lab.layout = layout_with_nine;
}

static void layout_with_wrong_dims(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 7)->dims[0] = 6;
}

static void wrong_dims(void)
{
    small.lab.layout = layout_with_wrong_dims;
}

static void layout_with_empty_range(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
    lab_add(run, LAB_IN, LAB_FLOAT, "in", 1)->high = 0;
}

static void empty_range(void)
{
    small.lab.layout = layout_with_empty_range;
}

static int64_t zero(const struct lab_run *run, uint64_t seed, size_t i)
{
    (void)run, (void)seed, (void)i;
    return 0;
}

static void layout_with_made_floats(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
    lab_add(run, LAB_IN, LAB_FLOAT, "in", 1)->make = zero;
}

static void made_floats(void)
{
    small.lab.layout = layout_with_made_floats;
}

static void large_whole(void)
{
    small.stages[0].is_whole = true;
    small.stages[0].timed = (struct lab_case)LAB_CASE(LAB_WHOLE_BYTES, 1);
}

static void layout_with_negative_operations(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1)->operations = -1;
}

static void negative_operations(void)
{
    small.lab.layout = layout_with_negative_operations;
}

static void layout_with_exact_operations(struct lab_run *run)
{
    struct lab_buffer *out = lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
    out->operations = 5, out->is_exact = true;
}

static void exact_operations(void)
{
    small.lab.layout = layout_with_exact_operations;
}

static void sum_of_floats(void)
{
    small.lab.is_sum = true;
}

static void layout_with_an_answer_on_the_device(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1)->is_said = true;
}

static void answer_on_the_device(void)
{
    small.lab.layout = layout_with_an_answer_on_the_device;
}

static void layout_with_a_said_input(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "out", 1);
    struct lab_buffer *in = lab_add(run, LAB_IN, LAB_FLOAT, "in", 1);
    in->is_host = in->is_said = true;
}

static void said_input(void)
{
    small.lab.layout = layout_with_a_said_input;
}

static void layout_of_one_stage(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, NULL, 1);
}

static void bad_layout_of_one_stage(void)
{
    small.stages[2].layout = layout_of_one_stage;
}

static const struct {
    void (*spoil)(void);
    const char *sentence;
} flaws[] = {
    {no_title, "the lab lacks its id, its title or its unit"},
    {no_call, "the lab lacks its function call"},
    {no_layout, "stage slow has no layout, and neither has the lab"},
    {no_reference, "stage slow has no reference, and neither has the lab"},
    {no_work, "stage slow has no work, and neither has the lab"},
    {no_cases, "the lab has no stages or no cases"},
    {too_many_stages, "the lab has more than 99 stages"},
    {no_id, "stage 2 has no id"},
    {same_id, "two stages have the id fast"},
    {no_entry, "stage fast lacks its title or its entry"},
    {no_baseline, "stage fast has points for speed, but neither it nor the lab has a baseline"},
    {no_todo, "stage fast does not say which TODO of the skeleton it is"},
    {negative_section, "stage fast has a negative section"},
    {later_previous, "stage fast names more as its previous one, which does not stand above it"},
    {strange_contained, "stage fast says that it contains none, which is no other stage"},
    {strange_previous, "stage fast names none as its previous one, which is no stage"},
    {given_points, "stage slow is given, but earns points"},
    {no_points, "stage more earns no points"},
    {negative_points, "stage fast takes points away"},
    {too_few_points, "the stages' points add up to 99 instead of 100"},
    {bounds_without_points, "stage fast has bounds without points for the concept"},
    {points_without_bounds, "stage more has bounds without points for the concept, or the points without"},
    {bound_without_meaning, "stage fast: the bound on barriers does not say its meaning"},
    {bound_without_limit, "stage fast: the bound on barriers has no limit"},
    {impossible_bound, "stage fast: no value of barriers can be in its bound"},
    {tier_without_points, "stage fast: tier 2 lacks its speedup or its points"},
    {falling_tiers, "stage fast: tier 2 asks no more than the one before"},
    {hint_without_symptom, "stage fast: hint 2 has no symptom"},
    {hint_twice, "stage fast: hint 2 is for a symptom that has one already"},
    {hint_without_text, "stage fast: hint 2 has no text"},
    {name_without_option, "size 2 has a name without an option, or an option without a name"},
    {same_option, "two sizes have the option -n"},
    {case_of_no_stage, "case 2 is for stage none, which is no stage"},
    {nameless_size, "case 1 has a number without a name, or a negative one"},
    {stage_without_case, "stage slow has no case"},
    {nameless_timed_size, "the timed case of stage more has a number without a name"},
    {empty_timed_case, "the timed case of stage slow: buffer 1 has no name or no elements"},
    {input_first, "case 1 in stage slow: the first buffer is no output"},
    {late_output, "case 1 in stage slow: output late stands behind an input"},
    {nine_buffers, "case 1 in stage slow: more than 8 buffers"},
    {wrong_dims, "case 1 in stage slow: the dimensions of out do not make its count"},
    {empty_range, "case 1 in stage slow: in has an empty range of values"},
    {made_floats, "case 1 in stage slow: in is made by a rule, so it must be an input of integers"},
    {large_whole, "the timed case of stage slow is executed as a whole, and in is too large for that"},
    {negative_operations, "case 1 in stage slow: out has negative operations"},
    {exact_operations, "case 1 in stage slow: out is exact, so operations and scale mean nothing"},
    {sum_of_floats, "case 1 in stage slow: the lab is_sum, so it has one input, LAB_INT"},
    {answer_on_the_device,
     "case 1 in stage slow: out is said by host code, so it must be an output on the host"},
    {said_input, "case 1 in stage slow: in is said by host code"},
    {bad_layout_of_one_stage, "case 1 in stage more: buffer 1 has no name or no elements"},
};

START_TEST(a_sound_table_has_no_flaw)
{
    const char *found = lab_find_flaw(&small.lab);
    ck_assert_msg(!found, "%s", found);
}
END_TEST

START_TEST(a_flaw_is_found_and_named)
{
    flaws[_i].spoil();
    const char *found = lab_find_flaw(&small.lab);
    ck_assert_ptr_nonnull(found);
    ck_assert_msg(strstr(found, flaws[_i].sentence) != NULL, "%s, but found: %s", flaws[_i].sentence, found);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("table");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, stages_are_found_by_id_and_by_row);
    tcase_add_test(tests, points_add_up_without_the_bonus);
    tcase_add_test(tests, a_case_is_described_by_its_sizes);
    tcase_add_test(tests, a_case_may_belong_to_one_stage);
    tcase_add_test(tests, a_lab_may_name_cases_by_what_kernels_see);
    tcase_add_test(tests, a_case_is_named_for_the_command_line);
    tcase_add_test(tests, a_stage_may_have_a_unit_of_its_own);
    tcase_add_test(tests, a_row_names_the_gpus_on_which_its_tiers_are_apart);
    tcase_add_test(tests, steps_follow_each_other_from_a_given_one);
    tcase_add_test(tests, a_later_step_contains_those_before_it_and_what_its_row_says);
    tcase_add_test(tests, a_stage_may_differ_from_its_lab);
    tcase_add_test(tests, elements_of_a_stage_go_before_the_reference_of_its_lab);
    tcase_add_test(tests, a_stage_that_only_asks_is_compared_with_nothing);
    tcase_add_test(tests, what_a_stage_does_not_say_its_lab_says);
    tcase_add_test(tests, work_in_bytes_is_what_inputs_and_outputs_hold);
    tcase_add_test(tests, tolerance_follows_from_operations_and_scale);
    tcase_add_test(tests, without_real_inputs_the_scale_is_one);
    tcase_add_test(tests, a_run_has_its_buffers_declared);
    tcase_add_test(tests, nothing_is_replayed_where_host_code_gives_all_outputs);
    tcase_add_test(tests, a_sound_table_has_no_flaw);
    tcase_add_loop_test(tests, a_flaw_is_found_and_named, 0, sizeof flaws / sizeof flaws[0]);
    return run_tests("table", tests);
}
