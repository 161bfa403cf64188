/* test_scale.c - one scale for reports and for programs by hand: shares of what GPUs can do, bases, needs, and the words. */
#include <check.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/scale.h"

static const struct lab_stage stages[] = {
    {.id = "slow", .is_given = true},
    {.id = "bytes", .speed = {{1.5, 10}, {3, 20}}},
    {.id = "flops", .unit = "GFLOP/s"},
    {.id = "points", .unit = "Gpoints/s", .baseline = "baseline_of_its_own"},
    {.id = "odd", .baseline = "plain"},
};
const struct lab lab = {.id = "lab99", LAB_STAGES(stages), .unit = "GB/s", .baseline = "baseline_slow"};
static const struct lab_most most = {.copy = 4000, .fma = 60000};

/* Peaks as the makers publish them: within a percent. */
static const struct {
    int major, minor, sms;
    double clock_khz, gflops;
} gpus[] = {{9, 0, 132, 1980000, 66900}, {8, 0, 108, 1410000, 19500}, {7, 5, 40, 1590000, 8100},
            {6, 1, 20, 1733000, 8870},   {6, 0, 56, 1480000, 10600},  {8, 9, 128, 2520000, 82600}};

START_TEST(the_peak_of_known_gpus)
{
    const double peak = lab_fma_gflops(gpus[_i].major, gpus[_i].minor, gpus[_i].sms, gpus[_i].clock_khz);
    ck_assert_double_eq_tol(peak, gpus[_i].gflops, 0.01 * gpus[_i].gflops);
}
END_TEST

START_TEST(of_an_unknown_gpu_there_is_no_peak)
{
    ck_assert_double_eq(lab_fma_gflops(99, 0, 132, 1980000), 0);
}
END_TEST

/* 2 units of work, 1000 us: 2000 units per second. */
static const struct {
    int stage;
    double base_us, gain;
    int before;
    const char *share, *words;
} rows[] = {
    {1, 4000, 0, 0, "50 % of a copy", "1000.00 us, 50 % of a copy; 4.00x over the kit's slow"},
    {1, 4000, 1.25, 3, "50 % of a copy",
     "1000.00 us, 50 % of a copy; 4.00x over the kit's slow, 1.25x over stage 3"},
    {1, 0, 1.25, 3, "50 % of a copy", "1000.00 us, 50 % of a copy; 1.25x over stage 3"},
    {2, 4000, 0, 0, "3.3 % of FMA peak", "1000.00 us, 3.3 % of FMA peak; 4.00x over the kit's slow"},
    {1, 0.6, 0, 0, "50 % of a copy", "1000.00 us, 50 % of a copy; 0.0006x over the kit's slow"},
    {3, 500, 0, 0, "2000 Gpoints/s", "1000.00 us, 2000 Gpoints/s; 0.50x over the kit's of_its_own"},
    {4, 500, 0, 0, "50 % of a copy", "1000.00 us, 50 % of a copy; 0.50x over the kit's plain"},
};

START_TEST(a_scale_in_words)
{
    struct lab_scale scale;
    char text[300];
    lab_find_scale(&lab, &stages[rows[_i].stage], &most, 2, 1000, rows[_i].base_us, &scale);
    scale.gain = rows[_i].gain;
    scale.before = rows[_i].before;
    lab_write_share(&scale, text, sizeof text);
    ck_assert_str_eq(text, rows[_i].share);
    lab_write_scale(&scale, text, sizeof text);
    ck_assert_str_eq(text, rows[_i].words);
}
END_TEST

START_TEST(the_need_is_the_highest_that_is_asked_for)
{
    struct lab_scale scale;
    lab_find_scale(&lab, &stages[1], &most, 2, 1000, 0, &scale);
    ck_assert_double_eq(scale.need, 3);
    lab_find_scale(&lab, &stages[2], &most, 2, 1000, 0, &scale);
    ck_assert_double_eq(scale.need, 0);
}
END_TEST

START_TEST(where_the_most_is_not_known_the_rate_is_told)
{
    static const struct lab_most none = {0, 0};
    struct lab_scale scale;
    char text[80], brief[12];
    lab_find_scale(&lab, &stages[1], &none, 2, 1000, 4000, &scale);
    lab_write_share(&scale, text, sizeof text);
    ck_assert_str_eq(text, "2000 GB/s");
    lab_write_scale(&scale, brief, sizeof brief); /* stays within its room */
    ck_assert_str_eq(brief, "1000.00 us,");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("scale");
    tcase_add_loop_test(tests, the_peak_of_known_gpus, 0, LAB_COUNT(gpus));
    tcase_add_test(tests, of_an_unknown_gpu_there_is_no_peak);
    tcase_add_loop_test(tests, a_scale_in_words, 0, LAB_COUNT(rows));
    tcase_add_test(tests, the_need_is_the_highest_that_is_asked_for);
    tcase_add_test(tests, where_the_most_is_not_known_the_rate_is_told);
    return run_tests("scale", tests);
}
