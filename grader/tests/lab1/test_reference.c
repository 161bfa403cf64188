/* test_reference.c - lab 1's counts on the CPU against numbers that were recorded elsewhere: on a GPU, and in the paper that
 * defines Philox. counts.c is included as a whole, since what mistakes give is its own business.
 * `test_reference long` adds the exercise and the last stage at their full length, about a minute. */
#include <check.h>
#include <stdlib.h>

#include "base/tests/run.h"
#include "labs/lab1-pi/counts.c"

static uint64_t count(const char *stage, struct lab_case which)
{
    struct lab_run run;
    lab_begin_run(&run, &lab, lab_find_stage(&lab, stage), &which, 1234);
    uint64_t hits = 0;
    lab_reference(&run, 0, &hits);
    return hits;
}

static uint64_t exercise(long points)
{
    return count("per_thread", (struct lab_case){.size = {56, 256, points}});
}

START_TEST(xorwow_gives_the_count_of_a_real_gpu)
{
    ck_assert_uint_eq(exercise(100), 1125700);
}
END_TEST

START_TEST(the_whole_exercise_gives_the_count_of_a_real_gpu)
{
    ck_assert_uint_eq(exercise(100000), 1125942520);
}
END_TEST

START_TEST(the_last_stage_gives_the_count_of_a_real_gpu)
{
    ck_assert_uint_eq(count("fast", (struct lab_case){.size = {1056, 256, 16384}}), 3478668462);
}
END_TEST

START_TEST(a_jump_equals_that_many_steps)
{
    struct xorwow walked = xorwow_start(42), jumped = walked;
    xorwow_jump(&jumped, 10);
    for (int i = 0; i < 1 << 10; i++)
        xorwow_next(&walked);
    ck_assert_mem_eq(&jumped, &walked, sizeof walked);
}
END_TEST

/* The run goes on to use the case. */
static struct lab_run run_of(const char *stage, const struct lab_case *which)
{
    struct lab_run run;
    lab_begin_run(&run, &lab, lab_find_stage(&lab, stage), which, 1234);
    return run;
}

/* What blocks 2 to 4 add is what five blocks count beyond two. */
START_TEST(a_part_of_the_blocks_counts_its_own_sequences)
{
    const struct lab_case which = {.size = {6, 33, 50}};
    const struct lab_run run = run_of("per_thread", &which);
    const struct lab_part part = {.first = 2, .count = 3, .of = 6, .threads = 33},
                          other = {.first = 3, .count = 3, .of = 6, .threads = 33};
    const double hits = (double)(count("per_thread", (struct lab_case){.size = {5, 33, 50}}) -
                                 count("per_thread", (struct lab_case){.size = {2, 33, 50}}));
    ck_assert(lab_part(&run)(&run, &part, hits));
    ck_assert(!lab_part(&run)(&run, &part, hits + 1));
    ck_assert(!lab_part(&run)(&run, &other, hits));
}
END_TEST

/* Half as many threads as sequences: each draws two, one grid apart. */
START_TEST(a_grid_that_is_smaller_takes_turns)
{
    const struct lab_case which = {.size = {6, 32, 50}};
    const struct lab_run run = run_of("per_block", &which);
    const struct lab_part part = {.first = 0, .count = 3, .of = 3, .threads = 32};
    ck_assert(
        lab_part(&run)(&run, &part, (double)count("per_block", (struct lab_case){.size = {6, 32, 50}})));
}
END_TEST

enum {
    WORKERS = 4 * 32
}; /* in 4 blocks; 10001 points make 2501 blocks of Philox, 20 for each and less for the last ones */

static double hits_of(bool (*is_mine)(uint64_t q))
{
    double hits = 0;
    for (uint64_t i = 0; i < 10001; i++)
        hits += is_mine(i / 4) && is_word_hit(philox_output(1234, i / 4).word[i % 4]);
    return hits;
}

static bool is_in_range(uint64_t q)
{
    return q / 20 / 32 == 1 || q / 20 / 32 == 2;
}

static bool is_in_turn(uint64_t q)
{
    return q % WORKERS / 32 == 1 || q % WORKERS / 32 == 2;
}

static bool is_in_turn_of_eight(uint64_t q)
{
    return q / 8 % WORKERS / 32 == 1 || q / 8 % WORKERS / 32 == 2;
}

static bool is_anywhere(uint64_t q)
{
    return q * 0x9e3779b97f4a7c15u >> 63;
}

START_TEST(a_part_of_philox_is_what_threads_usually_take)
{
    const struct lab_case which = {.size = {73, 137, 1}};
    const struct lab_run run = run_of("fast", &which);
    const struct lab_part part = {.first = 1, .count = 2, .of = 4, .threads = 32};
    ck_assert(lab_part(&run)(&run, &part, hits_of(is_in_range)));
    ck_assert(lab_part(&run)(&run, &part, hits_of(is_in_turn)));
    ck_assert(lab_part(&run)(&run, &part, hits_of(is_in_turn_of_eight)));
    ck_assert(!lab_part(&run)(&run, &part, hits_of(is_anywhere)));
}
END_TEST

/* The known answers that its authors publish for Philox4x32-10. */
static const struct {
    struct philox_block counter;
    uint64_t key;
    struct philox_block output;
} answers[] = {
    {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     0xffffffffffffffff,
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     0x299f31d0a4093822,
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
};

START_TEST(philox_gives_the_known_answers)
{
    struct philox_block got = philox(answers[_i].counter, answers[_i].key);
    ck_assert_mem_eq(&got, &answers[_i].output, sizeof got);
}
END_TEST

/* Blocks side by side are those one by one, also where their numbers pass 2^32. */
START_TEST(philox_in_lanes_is_philox)
{
    const uint64_t first = 0xfffffff0, seed = 0x299f31d0a4093822;
    struct philox_lanes lanes;
    philox_outputs(seed, first, &lanes);
    for (int i = 0; i < PHILOX_LANES; i++) {
        struct philox_block one = philox_output(seed, first + (uint64_t)i);
        for (int w = 0; w < 4; w++)
            ck_assert_uint_eq(lanes.word[w][i], one.word[w]);
    }
}
END_TEST

/* All 2^32 points there are, column by column: what 16 bits for a coordinate cost. An estimate from 4e9 random points is off by
 * 2.5e-5, a hundred times as much. */
START_TEST(sixteen_bits_are_enough_for_a_coordinate)
{
    uint64_t hits = 0;
    uint32_t height = 1 << 16;
    for (uint32_t x = 0; x < 1 << 16; x++) {
        while (height > 0 && !is_word_hit(x << 16 | (height - 1)))
            height--;
        hits += height;
    }
    ck_assert_double_eq_tol(4 * (double)hits * 0x1p-32, acos(-1), 2.5e-7);
}
END_TEST

/* A count that equals the right one, or that of another mistake, would not be named. Small cases have such coincidences, so the
 * seed is one without. */
static void name_mistake(const char *stage, struct lab_case which, uint64_t seed,
                         const struct mistake *mistake)
{
    struct lab_run run;
    bool is_own;
    lab_begin_run(&run, &lab, lab_find_stage(&lab, stage), &which, seed);
    uint64_t right = 0, wrong = mistake->count(&run);
    lab_reference(&run, 0, &right);
    ck_assert_uint_ne(right, wrong);
    run.buffers[0].host = &wrong;
    ck_assert_str_eq(lab_recognise(&run, 0, &right, &is_own), mistake->text);
}

START_TEST(known_mistakes_are_named)
{
    name_mistake("saved", (struct lab_case)LAB_CASE(32, 32, 96), 1, &mistakes[_i]);
}
END_TEST

START_TEST(known_mistakes_of_the_last_stage_are_named)
{
    if (fast_mistakes[_i].count != in_double)
        name_mistake("fast", (struct lab_case)LAB_CASE(70001, 1, 7), 1, &fast_mistakes[_i]);
}
END_TEST

/* One point in some millions lies so near to the rim. */
START_TEST(a_test_in_double_precision_is_named)
{
    ck_assert(fast_mistakes[0].count == in_double);
    name_mistake("fast", (struct lab_case)LAB_CASE(1, 1, 16000000), 4, &fast_mistakes[0]);
}
END_TEST

int main(int argc, char **argv)
{
    TCase *tests = tcase_create("reference");
    tcase_add_test(tests, xorwow_gives_the_count_of_a_real_gpu);
    tcase_add_test(tests, a_jump_equals_that_many_steps);
    tcase_add_loop_test(tests, philox_gives_the_known_answers, 0, sizeof answers / sizeof answers[0]);
    tcase_add_test(tests, philox_in_lanes_is_philox);
    tcase_add_test(tests, a_part_of_the_blocks_counts_its_own_sequences);
    tcase_add_test(tests, a_grid_that_is_smaller_takes_turns);
    tcase_add_test(tests, a_part_of_philox_is_what_threads_usually_take);
    tcase_add_test(tests, sixteen_bits_are_enough_for_a_coordinate);
    tcase_add_loop_test(tests, known_mistakes_are_named, 0, LAB_COUNT(mistakes));
    tcase_add_loop_test(tests, known_mistakes_of_the_last_stage_are_named, 0, LAB_COUNT(fast_mistakes));
    tcase_add_test(tests, a_test_in_double_precision_is_named);
    if (argc > 1 && !strcmp(argv[1], "long")) {
        tcase_add_test(tests, the_whole_exercise_gives_the_count_of_a_real_gpu);
        tcase_add_test(tests, the_last_stage_gives_the_count_of_a_real_gpu);
    }
    return run_tests("reference", tests);
}
