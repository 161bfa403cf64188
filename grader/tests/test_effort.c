/* test_effort.c - amounts of work of kernels that can be worked out by hand: what grows as it did is enough, what does not is
 * told. */
#include <check.h>
#include <stdlib.h>

#include "base/tests/run.h"
#include "grader/judge/effort.h"

/* Of one launch: points of work, blocks of 256 threads; each point takes so many instructions. */
static struct effort effort_of(double work, double blocks, double each)
{
    return (struct effort){.instructions = each * work, .measures = {work, 256 * blocks, blocks, 1}};
}

/* Three sizes of one problem: more points for each thread every time, and the last much larger. */
static struct effort small, middle, timed;

static void begin(double each)
{
    small = effort_of(1e5, 4, each);
    middle = effort_of(1e6, 16, each);
    timed = effort_of(1e9, 1056, each);
}

static void set(enum vgpu_amount amount, double in_small, double in_middle, double in_timed)
{
    small.amounts[amount] = in_small;
    middle.amounts[amount] = in_middle;
    timed.amounts[amount] = in_timed;
}

START_TEST(as_much_for_each_point_is_enough)
{
    begin(100);
    set(VGPU_GLOBAL_ATOMICS, 0.78e5, 0.78e6, 0.78e9);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &small));
}
END_TEST

START_TEST(none_at_all_is_told)
{
    begin(100);
    set(VGPU_GLOBAL_ATOMICS, 0.78e5, 0.78e6, 0);
    ck_assert_ptr_nonnull(effort_lacks(&timed, &middle, &small));
}
END_TEST

/* As many for each thread as in the middle case, though they went with the points before. */
START_TEST(as_many_for_each_thread_is_not_enough_where_points_count)
{
    begin(100);
    set(VGPU_GLOBAL_ATOMICS, 0.78e5, 0.78e6, 0.78e6 / 16 * 1056);
    ck_assert_ptr_nonnull(effort_lacks(&timed, &middle, &small));
}
END_TEST

START_TEST(one_for_each_thread_is_enough_where_threads_count)
{
    begin(1);
    set(VGPU_GLOBAL_ATOMICS, 4 * 256, 16 * 256, 1056 * 256);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &small));
}
END_TEST

START_TEST(one_for_each_block_is_enough_where_blocks_count)
{
    begin(0.001);
    set(VGPU_BARRIERS, 4 * 8 * 256, 16 * 8 * 256, 1056 * 8 * 256);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &small));
}
END_TEST

/* Two for each point and a hundred for each thread. */
START_TEST(a_sum_of_two_is_understood)
{
    begin(1);
    set(VGPU_SHARED_READ, 2e5 + 100 * 1024, 2e6 + 100 * 4096, 2e9 + 100 * 1056.0 * 256);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &small));
    timed.amounts[VGPU_SHARED_READ] /= 2;
    ck_assert_ptr_nonnull(effort_lacks(&timed, &middle, &small));
}
END_TEST

START_TEST(what_costs_nearly_nothing_may_be_missing)
{
    begin(1000);
    set(VGPU_BYTES_LOADED, 4096, 4096, 0);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &small));
}
END_TEST

START_TEST(with_one_verified_case_half_is_enough)
{
    const struct effort none = {.instructions = 0};
    begin(1);
    set(VGPU_DOUBLES, 0, 1e6, 0.9e9);
    ck_assert_ptr_null(effort_lacks(&timed, &middle, &none));
    timed.amounts[VGPU_DOUBLES] = 1e4;
    ck_assert_ptr_nonnull(effort_lacks(&timed, &middle, &none));
}
END_TEST

START_TEST(launches_add_up)
{
    double amounts[VGPU_AMOUNTS] = {[VGPU_BARRIERS] = 3};
    const struct vgpu_launch launch = {.grid = {2, 3, 1}, .block = {32, 2, 1}, .amounts = amounts};
    struct effort sum = {.instructions = 0}, twice = {.instructions = 0};
    effort_add(&sum, &launch, 10);
    effort_join(&twice, &sum);
    effort_join(&twice, &sum);
    ck_assert_double_eq(twice.amounts[VGPU_BARRIERS], 6);
    ck_assert_double_eq(twice.instructions, 20);
    ck_assert_double_eq(twice.measures[MEASURE_BLOCKS], 12);
    ck_assert_double_eq(twice.measures[MEASURE_THREADS], 12 * 64);
    ck_assert_double_eq(twice.measures[MEASURE_LAUNCHES], 2);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("effort");
    tcase_add_test(cases, as_much_for_each_point_is_enough);
    tcase_add_test(cases, none_at_all_is_told);
    tcase_add_test(cases, as_many_for_each_thread_is_not_enough_where_points_count);
    tcase_add_test(cases, one_for_each_thread_is_enough_where_threads_count);
    tcase_add_test(cases, one_for_each_block_is_enough_where_blocks_count);
    tcase_add_test(cases, a_sum_of_two_is_understood);
    tcase_add_test(cases, what_costs_nearly_nothing_may_be_missing);
    tcase_add_test(cases, with_one_verified_case_half_is_enough);
    tcase_add_test(cases, launches_add_up);
    return run_tests("effort", cases);
}
