/* test_seed.c - one call under two seeds: what follows the seed is told from what host code computed.
 * Words are made here by the expressions that host code would use; expected ones by the same with a third seed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "trace/build.h"
#include "trace/trace.h"

enum { BYTES = 32 };
static const uint64_t first = 0x01339ee5, second = 0x4c61d38a, third = 0x7f000001;

/* What host code writes for a seed, and how its arguments are cut; {0}: a copy, which is not cut. */
struct example {
    const char *name;
    void (*fill)(uint8_t *data, uint64_t seed);
    struct trace_argument arguments[4];
    uint32_t narguments;
};

static void put(uint8_t *data, uint64_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[i] = (uint8_t)(word >> 8 * i);
}

static void the_seed_itself(uint8_t *data, uint64_t seed)
{
    put(data + 8, seed, 8);
}

static void a_sum_that_carries(uint8_t *data, uint64_t seed)
{
    put(data + 8, seed + 0xffffff00, 8);
}

static void an_int_beside_another(uint8_t *data, uint64_t seed)
{
    put(data + 8, seed, 4);
    put(data + 12, 77, 4);
}

/* The first word runs over from the seed on, and must not reach its neighbour. */
static void keys_of_rounds(uint8_t *data, uint64_t seed)
{
    for (unsigned i = 0; i < 6; i++)
        put(data + 4 * i, (uint32_t)(seed + i * 0x9e3779b9u), 4);
    put(data + 24, 0xbb67ae85u, 4);
}

static void a_mask(uint8_t *data, uint64_t seed)
{
    put(data + 16, seed ^ 0xaad26b4900000000u, 8);
    put(data + 28, seed ^ 0x12345678, 4);
}

static void nothing(uint8_t *data, uint64_t seed)
{
    (void)seed;
    put(data + 4, 0x1234, 4);
}

static const struct example followed[] = {
    {"seed", the_seed_itself, {{8, 8}}, 1},
    {"carry", a_sum_that_carries, {{8, 8}}, 1},
    {"int", an_int_beside_another, {{8, 4}, {12, 4}}, 2},
    {"keys", keys_of_rounds, {{0, 32}}, 1},
    {"copied keys", keys_of_rounds, {{0, 0}}, 0},
    {"mask", a_mask, {{16, 8}, {28, 4}}, 2},
    {"nothing", nothing, {{0, 32}}, 1},
};

static void a_product(uint8_t *data, uint64_t seed)
{
    put(data, seed * 3, 8);
}

static void a_count(uint8_t *data, uint64_t seed)
{
    put(data, seed % 1000, 8);
}

static void a_float(uint8_t *data, uint64_t seed)
{
    const float value = (float)seed;
    memcpy(data + 4, &value, sizeof value);
}

static void an_odd_byte(uint8_t *data, uint64_t seed)
{
    put(data + BYTES - 1, seed, 1);
}

static const struct example computed[] = {
    {"product", a_product, {{0, 8}}, 1},
    {"count", a_count, {{0, 8}}, 1},
    {"float", a_float, {{4, 4}}, 1},
    {"byte", an_odd_byte, {{31, 1}}, 1},
};

/* ------------------------------------------------------------------------------------------- recordings */

static struct trace_op *record(struct trace *trace, const struct example *example, uint64_t seed)
{
    struct trace_segment *segment = trace_add_segment(trace);
    struct trace_op *op = trace_add_op(segment, example->narguments ? TRACE_LAUNCH : TRACE_WRITE);
    op->data = calloc(1, BYTES);
    op->size = BYTES;
    op->line = 12;
    op->narguments = example->narguments;
    op->arguments = trace_grow(NULL, 0, 4, sizeof *op->arguments);
    memcpy(op->arguments, example->arguments, sizeof example->arguments);
    example->fill(op->data, seed);
    return op;
}

/* A trace whose two segments are the same call under two seeds. */
static struct trace *record_both(const struct example *example)
{
    struct trace *trace = trace_new();
    record(trace, example, first);
    record(trace, example, second);
    return trace;
}

static char why[600];
static uint32_t line;

static bool follow(struct trace *trace)
{
    return trace_follow_seed(&trace->segments[0], &trace->segments[1], first, second, why, sizeof why, &line);
}

START_TEST(words_that_follow_the_seed_follow_any)
{
    const struct example *example = &followed[_i];
    struct trace *trace = record_both(example);
    uint8_t expected[BYTES] = {0}, found[BYTES];
    ck_assert_msg(follow(trace), "%s: %s", example->name, why);
    const struct trace_op *op = &trace->segments[0].ops[0];
    memcpy(found, op->data, BYTES);
    for (uint32_t i = 0; i < op->nrelocations; i++) {
        const struct trace_relocation *one = &op->relocations[i];
        ck_assert_int_eq(one->place.space, TRACE_SEED);
        put(found + one->at, trace_seed_word(&one->place, third), (int)trace_word_bytes(&one->place));
    }
    example->fill(expected, third);
    ck_assert_msg(!memcmp(found, expected, BYTES), "%s", example->name);
    trace_free(trace);
}
END_TEST

START_TEST(what_was_computed_is_refused_with_its_line)
{
    struct trace *trace = record_both(&computed[_i]);
    ck_assert_msg(!follow(trace), "%s", computed[_i].name);
    ck_assert_uint_eq(line, 12);
    ck_assert_ptr_nonnull(strstr(why, "computes something from the seed"));
    trace_free(trace);
}
END_TEST

START_TEST(other_work_is_refused)
{
    struct trace *trace = record_both(&followed[0]);
    trace->segments[1].ops[0].grid[0] = 5;
    ck_assert(!follow(trace) && strstr(why, "asks for other work"));
    trace->segments[1].ops[0].grid[0] = 0;
    trace_add_op(&trace->segments[1], TRACE_SYNC);
    ck_assert(!follow(trace) && strstr(why, "asks for other work"));
    trace_free(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("seed");
    TCase *tests = tcase_create("seed");
    tcase_add_loop_test(tests, words_that_follow_the_seed_follow_any, 0, sizeof followed / sizeof *followed);
    tcase_add_loop_test(tests, what_was_computed_is_refused_with_its_line, 0,
                        sizeof computed / sizeof *computed);
    tcase_add_test(tests, other_work_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
