/* test_stats.c - quartiles of small sets that can be worked out by hand. */
#include <check.h>
#include <stdlib.h>

#include "base/tests/run.h"
#include "base/stats.h"

static void expect(double *values, size_t count, double low, double median, double high)
{
    const struct stats stats = stats_of(values, count);
    ck_assert_double_eq(stats.low, low);
    ck_assert_double_eq(stats.median, median);
    ck_assert_double_eq(stats.high, high);
}

START_TEST(nothing_has_no_middle)
{
    expect(NULL, 0, 0, 0, 0);
}
END_TEST

START_TEST(one_value_is_all_quartiles)
{
    expect((double[]){3}, 1, 3, 3, 3);
}
END_TEST

START_TEST(two_values_are_interpolated)
{
    expect((double[]){4, 0}, 2, 1, 2, 3);
}
END_TEST

START_TEST(five_values_in_any_order)
{
    expect((double[]){5, 1, 4, 2, 3}, 5, 2, 3, 4);
}
END_TEST

START_TEST(outliers_do_not_move_the_middle)
{
    expect((double[]){2, 1e9, 2, 2, 0, 2, 2}, 7, 2, 2, 2);
}
END_TEST

START_TEST(quantiles_reach_both_ends)
{
    const double sorted[] = {1, 2, 3, 4};
    ck_assert_double_eq(stats_quantile(sorted, 4, 0), 1);
    ck_assert_double_eq(stats_quantile(sorted, 4, 1), 4);
    ck_assert_double_eq(stats_quantile(sorted, 4, 0.5), 2.5);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, nothing_has_no_middle);
    tcase_add_test(tests, one_value_is_all_quartiles);
    tcase_add_test(tests, two_values_are_interpolated);
    tcase_add_test(tests, five_values_in_any_order);
    tcase_add_test(tests, outliers_do_not_move_the_middle);
    tcase_add_test(tests, quantiles_reach_both_ends);
    return run_tests("stats", tests);
}
