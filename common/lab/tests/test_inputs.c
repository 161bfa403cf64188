/* test_inputs.c - seeded inputs: the same for the same seed, in their range, and the same on host and device.
 * Linked with the virtual GPU, on which device.cu runs. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/tests/run.h"
#include "lab/device.h"
#include "lab/element.h"
#include "lab/lab.h"

enum { COUNT = 5000 };

static const enum lab_type types[] = {LAB_INT,   LAB_FLOAT,  LAB_DOUBLE, LAB_UINT,
                                      LAB_INT64, LAB_UINT64, LAB_BYTE};
enum { TYPES = sizeof types / sizeof types[0] };

static struct lab_run run_of(enum lab_type type, uint64_t seed)
{
    struct lab_run run = {.seed = seed};
    lab_add(&run, LAB_OUT, type, "out", COUNT);
    lab_add(&run, LAB_IN, type, "in", COUNT);
    return run;
}

START_TEST(splitmix64_s_finaliser_is_used_as_published)
{
    /* The first number of splitmix64 for the state 0 is the finaliser's value of 0x9e3779b97f4a7c15. */
    ck_assert_uint_eq(lab_hash(0, 0), UINT64_C(0xe220a8397b1dcdaf));
}
END_TEST

START_TEST(a_seed_decides_everything)
{
    struct lab_run run = run_of(types[_i], 7), other = run_of(types[_i], 8);
    static unsigned char a[COUNT * 8], b[COUNT * 8], c[COUNT * 8], d[COUNT * 8];
    size_t bytes = lab_buffer_bytes(&run.buffers[1]);
    lab_fill(&run, 1, a);
    lab_fill(&run, 1, b);
    lab_fill(&other, 1, c);
    lab_fill(&run, 0, d);
    ck_assert_mem_eq(a, b, bytes);
    ck_assert_mem_ne(a, c, bytes);
    ck_assert_mem_ne(a, d, bytes);
}
END_TEST

START_TEST(reals_lie_in_their_range_and_fill_it)
{
    struct lab_run run = run_of(LAB_FLOAT, 3);
    static float values[COUNT];
    float least = INFINITY, most = -INFINITY;
    double sum = 0;
    run.buffers[1].low = -2;
    run.buffers[1].high = 6;
    lab_fill(&run, 1, values);
    for (int i = 0; i < COUNT; i++) {
        least = fminf(least, values[i]);
        most = fmaxf(most, values[i]);
        sum += values[i];
    }
    ck_assert(least >= -2 && least < -1.9 && most < 6 && most > 5.9);
    ck_assert_double_eq_tol(sum / COUNT, 2, 0.15); /* four standard deviations: 0.13 */
}
END_TEST

START_TEST(rounding_never_reaches_the_upper_end)
{
    struct lab_run run = run_of(LAB_FLOAT, 3);
    static float values[COUNT];
    run.buffers[1].low = 16777216;
    run.buffers[1].high =
        16777220; /* neighbouring floats are 2 apart here: a quarter of all draws round up to it */
    lab_fill(&run, 1, values);
    for (int i = 0; i < COUNT; i++)
        ck_assert(values[i] == 16777216 || values[i] == 16777218);
}
END_TEST

START_TEST(integers_meet_both_ends)
{
    struct lab_run run = run_of(LAB_INT, 5);
    static int32_t values[COUNT];
    int seen[7] = {0};
    run.buffers[1].low = -3;
    run.buffers[1].high = 3;
    lab_fill(&run, 1, values);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(values[i] >= -3 && values[i] <= 3);
        seen[values[i] + 3]++;
    }
    for (int i = 0; i < 7; i++)
        ck_assert(seen[i] > COUNT / 7 - 150 && seen[i] < COUNT / 7 + 150);
}
END_TEST

START_TEST(nearly_all_elements_differ)
{
    struct lab_run run = run_of(LAB_FLOAT, 11);
    static float values[COUNT];
    int equal = 0;
    lab_fill(&run, 1, values);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++)
            equal += values[i] == values[j];
    ck_assert_int_le(equal, 5); /* 24 bits give 0.75 pairs on average */
}
END_TEST

/* Several at a time are what each is alone, also where the number of values is a power of two, and from a host copy. */
START_TEST(a_part_has_the_elements_one_by_one)
{
    enum { FIRST = 3, PART = COUNT - 5 };
    static const double highs[] = {0, 1, 100, 127};
    for (size_t k = 0; k < sizeof highs / sizeof *highs; k++) {
        struct lab_run run = run_of(types[_i], 99 + k);
        static unsigned char all[COUNT * 8], part[COUNT * 8];
        static double drawn[COUNT], copied[COUNT];
        const size_t each = lab_type_bytes(types[_i]);
        run.buffers[1].high = highs[k];
        lab_fill(&run, 1, all);
        lab_fill_part(&run, 1, FIRST, PART, part);
        ck_assert_mem_eq(part, all + FIRST * each, PART * each);
        lab_read(&run, 1, FIRST, PART, drawn);
        for (size_t i = 0; i < PART; i++)
            ck_assert_double_eq(drawn[i], lab_at(&run, 1, FIRST + i));
        run.buffers[1].host = all;
        lab_read(&run, 1, FIRST, PART, copied);
        ck_assert_mem_eq(copied, drawn, PART * sizeof *drawn);
    }
}
END_TEST

START_TEST(a_rest_is_what_c_calls_one)
{
    static const uint64_t spans[] = {1,           2,          3,
                                     7,           10,         255,
                                     256,         1234568,    UINT64_C(4294967295),
                                     4294967296u, 4294967297, UINT64_C(0x7fffffffffffffff),
                                     INT64_MIN,   UINT64_MAX, UINT64_C(0x8000000000000001)};
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++) {
        for (uint64_t i = 0; i < COUNT; i++) {
            const uint64_t value = i < 4 ? UINT64_MAX - i : i < 8 ? spans[k] + i - 6 : lab_hash(k, i);
            ck_assert_uint_eq(element_rest(value, spans[k]), value % spans[k]);
        }
    }
}
END_TEST

/* By long multiplication, digit by digit of 32 bits. */
START_TEST(a_share_is_the_upper_half_of_a_product)
{
    static const uint64_t spans[] = {1,           2,          10,        255, UINT64_C(4294967295),
                                     4294967296u, 4294967297, UINT64_MAX};
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
        for (uint64_t i = 0; i < COUNT; i++) {
            const uint64_t hash = i < 4 ? UINT64_MAX - i : lab_hash(k, i), low = hash & UINT32_MAX,
                           high = hash >> 32;
            const uint64_t span_low = spans[k] & UINT32_MAX, span_high = spans[k] >> 32;
            const uint64_t middle = high * span_low + (low * span_low >> 32);
            const uint64_t upper =
                high * span_high + (middle >> 32) + ((low * span_high + (middle & UINT32_MAX)) >> 32);
            ck_assert_uint_eq(element_share(hash, spans[k]),
                              spans[k] <= UINT32_MAX ? high * spans[k] >> 32 : upper);
            ck_assert_uint_lt(element_share(hash, spans[k]), spans[k]);
        }
    ck_assert_uint_eq(element_share(42, 0), 42);
}
END_TEST

/* ------------------------------------------------------------------------------------------- host and device */

static void *device_of(size_t bytes)
{
    void *device = NULL;
    ck_assert_int_eq(cudaMalloc(&device, bytes), cudaSuccess);
    return device;
}

START_TEST(the_device_makes_the_same_bytes)
{
    struct lab_run run = run_of(types[_i], UINT64_C(0xfedcba9876543210));
    static unsigned char here[COUNT * 8], there[COUNT * 8];
    size_t bytes = lab_buffer_bytes(&run.buffers[1]);
    void *device = device_of(bytes);
    run.buffers[1].low = types[_i] == LAB_FLOAT || types[_i] == LAB_DOUBLE ? -0.7 : 0;
    run.buffers[1].high = types[_i] == LAB_BYTE ? 200 : 1234567.3;
    lab_fill(&run, 1, here);
    ck_assert_ptr_null(lab_device_fill(&run, 1, device));
    ck_assert_int_eq(cudaMemcpy(there, device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_mem_eq(here, there, bytes);
    cudaFree(device);
}
END_TEST

static int64_t rising(const struct lab_run *run, uint64_t seed, size_t i)
{
    (void)run;
    return (int64_t)(8 * i + lab_hash(seed, i) % 8);
}

START_TEST(a_rule_makes_the_same_on_both)
{
    struct lab_run run = run_of(LAB_INT, 5);
    static int here[COUNT], there[COUNT];
    void *device = device_of(sizeof here);
    run.buffers[1].make = rising;
    lab_fill(&run, 1, here);
    ck_assert_ptr_null(lab_device_fill(&run, 1, device));
    ck_assert_int_eq(cudaMemcpy(there, device, sizeof there, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_mem_eq(here, there, sizeof here);
    ck_assert_double_eq(lab_at(&run, 1, COUNT - 1), here[COUNT - 1]);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(here[i] / 8, i);
    cudaFree(device);
}
END_TEST

START_TEST(the_device_poisons_what_the_host_calls_poison)
{
    struct lab_run run = run_of(LAB_FLOAT, 1);
    struct lab_buffer *out = &run.buffers[0];
    static float got[COUNT], want[COUNT];
    struct lab_difference difference;
    void *device = device_of(lab_buffer_bytes(out));
    ck_assert_ptr_null(lab_device_fill(&run, 0, device));
    ck_assert_int_eq(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
    out->host = got;
    lab_compare(&run, 0, want, &difference);
    ck_assert_uint_eq(difference.unwritten, COUNT);
    cudaFree(device);
}
END_TEST

/* Changes every 7th element by a little or a lot, and asks both sides. */
static void compare_on_both(float factor, double relative, double absolute, size_t expected)
{
    struct lab_run run = run_of(LAB_FLOAT, 2);
    struct lab_buffer *out = &run.buffers[0];
    static float got[COUNT], want[COUNT];
    struct lab_difference difference;
    void *left = device_of(sizeof got), *right = device_of(sizeof want);
    size_t wrong = 0;
    lab_fill(&run, 0, want);
    memcpy(got, want, sizeof got);
    for (int i = 0; i < COUNT; i += 7)
        got[i] *= factor;
    out->relative = relative;
    out->absolute = absolute;
    out->host = got;
    lab_compare(&run, 0, want, &difference);
    cudaMemcpy(left, got, sizeof got, cudaMemcpyHostToDevice);
    cudaMemcpy(right, want, sizeof want, cudaMemcpyHostToDevice);
    ck_assert_ptr_null(lab_device_compare(out, left, right, &wrong));
    ck_assert_uint_eq(wrong, expected);
    ck_assert_uint_eq(difference.wrong, expected);
    cudaFree(left);
    cudaFree(right);
}

START_TEST(the_device_compares_as_the_host_does)
{
    enum { CHANGED = (COUNT + 6) / 7 };
    compare_on_both(1, 0, 0, 0);
    compare_on_both(1.5f, 1e-3, 0, CHANGED);
    compare_on_both(1.0001f, 1e-3, 0, 0);
    compare_on_both(1.0001f, 0, 0, CHANGED);
    compare_on_both(1.0001f, 0, 1, 0);
    compare_on_both(1.0001f, 1e-3, 1e-3, 0);
    compare_on_both(NAN, 1e-3, 1e-3, CHANGED);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("inputs");
    tcase_add_test(tests, splitmix64_s_finaliser_is_used_as_published);
    tcase_add_loop_test(tests, a_seed_decides_everything, 0, TYPES);
    tcase_add_test(tests, reals_lie_in_their_range_and_fill_it);
    tcase_add_test(tests, rounding_never_reaches_the_upper_end);
    tcase_add_test(tests, integers_meet_both_ends);
    tcase_add_test(tests, nearly_all_elements_differ);
    tcase_add_loop_test(tests, a_part_has_the_elements_one_by_one, 0, TYPES);
    tcase_add_test(tests, a_rest_is_what_c_calls_one);
    tcase_add_test(tests, a_share_is_the_upper_half_of_a_product);
    tcase_add_loop_test(tests, the_device_makes_the_same_bytes, 0, TYPES);
    tcase_add_test(tests, a_rule_makes_the_same_on_both);
    tcase_add_test(tests, the_device_poisons_what_the_host_calls_poison);
    tcase_add_test(tests, the_device_compares_as_the_host_does);
    return run_tests("inputs", tests);
}
