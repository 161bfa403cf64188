/* test_tolerance.c - sums of signed numbers whose result is near 0: right in any order, wrong in half the precision.
 * A relative error has no meaning there; what `operations` says must be enough for every right program, and too little for
 * one that rounds its inputs to 10 bits, as tensor cores (TF32) and half precision do. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/tests/run.h"
#include "lab/lab.h"

enum { SUMS = 64, LONGEST = 4096 };

static const int lengths[] = {2, 3, 8, 31, 32, 33, 100, 256, 1000, 1024, 2048, LONGEST};

/* ------------------------------------------------------------------------------------------- the lab */

static void layout(struct lab_run *run)
{
    lab_add(run, LAB_OUT, LAB_FLOAT, "sums", SUMS)->operations = (int)run->size[0];
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "in", run->size[0], SUMS)->low = -1;
}

static const struct lab_stage stage = {.id = "sum"};
static const struct lab small = {.stages = &stage, .nstages = 1, .layout = layout};

/* Numbers in [-1, 1), each drawn against the sum so far, which therefore stays near 0. */
static void fill(float *row, int n, uint64_t seed)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        float size = (float)(lab_hash(seed, (uint64_t)i) >> 40) / (1 << 24);
        row[i] = sum > 0 ? -size : size;
        sum += (double)row[i];
    }
}

static float exact_sum(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

/* ------------------------------------------------------------------------------------------- right programs */

static float forward(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static float backward(const float *x, int n)
{
    float sum = 0;
    for (int i = n; i-- > 0;)
        sum += x[i];
    return sum;
}

static float tree(const float *x, int n)
{
    return n == 1 ? x[0] : tree(x, n / 2) + tree(x + n / 2, n - n / 2);
}

/* As a warp does it: each lane every 32nd element, then the lanes. */
static float lanes(const float *x, int n)
{
    float lane[32] = {0};
    for (int i = 0; i < n; i++)
        lane[i % 32] += x[i];
    return tree(lane, 32);
}

/* As blocks do it: 256 neighbours each, then the blocks. */
static float blocks(const float *x, int n)
{
    float block[LONGEST / 256 + 1] = {0};
    for (int i = 0; i < n; i++)
        block[i / 256] += x[i];
    return forward(block, n / 256 + 1);
}

typedef float sum_fn(const float *x, int n);
static sum_fn *const orders[] = {forward, backward, tree, lanes, blocks};

/* ------------------------------------------------------------------------------------------- wrong ones */

/* To 10 bits behind the leading one, to nearest: TF32, and half precision within its range. */
static float rounded(float x)
{
    int exponent;
    float mantissa = frexpf(x, &exponent);
    return ldexpf(rintf(mantissa * 2048) / 2048, exponent);
}

static float of_rounded(const float *x, int n)
{
    static float less[LONGEST];
    for (int i = 0; i < n; i++)
        less[i] = rounded(x[i]);
    return exact_sum(less, n);
}

static float one_forgotten(const float *x, int n)
{
    return forward(x, n - 1);
}

/* ------------------------------------------------------------------------------------------- both */

/* How many of SUMS sums, made by a function, are wrong. */
static size_t count_wrong(sum_fn *sum, int n, uint64_t seed)
{
    static float row[LONGEST];
    struct lab_case which = LAB_CASE(n);
    struct lab_run run;
    struct lab_difference difference;
    float got[SUMS], want[SUMS];
    lab_begin_run(&run, &small, &stage, &which, seed);
    for (int i = 0; i < SUMS; i++) {
        fill(row, n, lab_hash(seed, (uint64_t)i));
        got[i] = sum(row, n);
        want[i] = exact_sum(row, n);
        ck_assert(fabsf(want[i]) <= 1);
    }
    run.buffers[0].host = got;
    lab_compare(&run, 0, want, &difference);
    return difference.wrong;
}

START_TEST(right_sums_pass_in_every_order)
{
    for (int i = 0; i < LAB_COUNT(lengths); i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            ck_assert_msg(count_wrong(orders[_i], lengths[i], seed) == 0, "n %d, seed %d", lengths[i],
                          (int)seed);
}
END_TEST

START_TEST(inputs_of_half_the_precision_fail)
{
    for (int i = 0; i < LAB_COUNT(lengths); i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            ck_assert_msg(count_wrong(of_rounded, lengths[i], seed) > SUMS / 2, "n %d, seed %d", lengths[i],
                          (int)seed);
}
END_TEST

START_TEST(a_forgotten_addend_fails)
{
    for (int i = 0; i < LAB_COUNT(lengths); i++)
        ck_assert(count_wrong(one_forgotten, lengths[i], 1) > SUMS / 2);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("tolerance");
    tcase_add_loop_test(tests, right_sums_pass_in_every_order, 0, LAB_COUNT(orders));
    tcase_add_test(tests, inputs_of_half_the_precision_fail);
    tcase_add_test(tests, a_forgotten_addend_fails);
    return run_tests("tolerance", tests);
}
