/* test_warpops.c - shuffles, votes, matches and reductions against the definitions of the PTX ISA and of the CUDA guide.
 * Expected values are written out or computed from the guide's wording, never by the code under test. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "exec/warpops.h"

/* What the CUDA headers pass as c for a given width. */
static uint32_t segment(int width, int clamp)
{
    return (uint32_t)((32 - width) << 8 | clamp);
}

START_TEST(shuffle_up_keeps_the_first_lanes_of_each_segment)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int delta = 0; delta < 32; delta++)
            for (int lane = 0; lane < 32; lane++) {
                bool inside;
                const int source =
                    shuffle_source(SHUFFLE_UP, lane, (uint32_t)delta, segment(width, 0), &inside);
                const bool is_in = lane % width - delta >= 0;
                ck_assert_int_eq(inside, is_in);
                ck_assert_int_eq(source, is_in ? lane - delta : lane);
            }
}
END_TEST

START_TEST(shuffle_down_keeps_the_last_lanes_of_each_segment)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int delta = 0; delta < 32; delta++)
            for (int lane = 0; lane < 32; lane++) {
                bool inside;
                const int source =
                    shuffle_source(SHUFFLE_DOWN, lane, (uint32_t)delta, segment(width, 31), &inside);
                const bool is_in = lane % width + delta < width;
                ck_assert_int_eq(inside, is_in);
                ck_assert_int_eq(source, is_in ? lane + delta : lane);
            }
}
END_TEST

START_TEST(shuffle_xor_may_read_lower_segments_but_not_higher_ones)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int bits = 0; bits < 32; bits++)
            for (int lane = 0; lane < 32; lane++) {
                bool inside;
                const int source =
                    shuffle_source(SHUFFLE_BFLY, lane, (uint32_t)bits, segment(width, 31), &inside);
                const bool is_in = (lane ^ bits) / width <= lane / width;
                ck_assert_int_eq(inside, is_in);
                ck_assert_int_eq(source, is_in ? lane ^ bits : lane);
            }
}
END_TEST

START_TEST(shuffle_idx_counts_within_the_segment_modulo_its_width)
{
    for (int width = 1; width <= 32; width *= 2)
        for (int index = 0; index < 64; index++)
            for (int lane = 0; lane < 32; lane++) {
                bool inside;
                const int source =
                    shuffle_source(SHUFFLE_IDX, lane, (uint32_t)index, segment(width, 31), &inside);
                ck_assert_int_eq(source, lane / width * width + index % width);
                ck_assert(inside);
            }
}
END_TEST

START_TEST(shuffle_idx_beyond_the_clamp_is_out_of_range)
{
    bool inside;
    ck_assert_int_eq(shuffle_source(SHUFFLE_IDX, 3, 20, 15, &inside), 3);
    ck_assert(!inside);
    ck_assert_int_eq(shuffle_source(SHUFFLE_IDX, 3, 15, 15, &inside), 15);
    ck_assert(inside);
}
END_TEST

START_TEST(votes_see_members_only)
{
    ck_assert_uint_eq(vote_result(VOTE_ALL, 0x0f, 0x0f), 1);
    ck_assert_uint_eq(vote_result(VOTE_ALL, 0x0e, 0x0f), 0);
    ck_assert_uint_eq(vote_result(VOTE_ALL, 0xff, 0x0f), 1);
    ck_assert_uint_eq(vote_result(VOTE_ANY, 0xf0, 0x0f), 0);
    ck_assert_uint_eq(vote_result(VOTE_ANY, 0x08, 0x0f), 1);
    ck_assert_uint_eq(vote_result(VOTE_UNI, 0xf0, 0x0f), 1);
    ck_assert_uint_eq(vote_result(VOTE_UNI, 0x0f, 0x0f), 1);
    ck_assert_uint_eq(vote_result(VOTE_UNI, 0x03, 0x0f), 0);
    ck_assert_uint_eq(vote_result(VOTE_BALLOT, 0xffffffff, 0x80000001), 0x80000001);
}
END_TEST

START_TEST(matches_are_found_among_members_in_all_64_bits)
{
    uint64_t values[32];
    for (int i = 0; i < 32; i++)
        values[i] = (uint64_t)(i % 4) << 33;
    ck_assert_uint_eq(match_lanes(values, values[1], 0xffffffff), 0x22222222);
    ck_assert_uint_eq(match_lanes(values, values[1], 0x0000ffff), 0x00002222);
    ck_assert_uint_eq(match_lanes(values, 99, 0xffffffff), 0);
}
END_TEST

START_TEST(reductions_fold_the_members)
{
    uint32_t values[32];
    for (int i = 0; i < 32; i++)
        values[i] = (uint32_t)(i - 16);
    ck_assert_uint_eq(redux_lanes(REDUX_ADD, values, 0xffffffff), (uint32_t)-16);
    ck_assert_uint_eq(redux_lanes(REDUX_MIN_S32, values, 0xffffffff), (uint32_t)-16);
    ck_assert_uint_eq(redux_lanes(REDUX_MAX_S32, values, 0xffffffff), 15);
    ck_assert_uint_eq(redux_lanes(REDUX_MIN_U32, values, 0xffffffff), 0);
    ck_assert_uint_eq(redux_lanes(REDUX_MAX_U32, values, 0xffffffff), 0xffffffff);
    ck_assert_uint_eq(redux_lanes(REDUX_AND, values, 0xf), 0xfffffff0);
    ck_assert_uint_eq(redux_lanes(REDUX_OR, values, 0xffff0000), 15);
    ck_assert_uint_eq(redux_lanes(REDUX_XOR, values, 0x30000), 1);
    ck_assert_uint_eq(redux_lanes(REDUX_ADD, values, 1u << 31), 15);
}
END_TEST

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

START_TEST(float_reductions_know_zeros_and_nans)
{
    ck_assert_uint_eq(redux_fold(REDUX_FMIN, bits_of(0.0f), bits_of(-0.0f)), bits_of(-0.0f));
    ck_assert_uint_eq(redux_fold(REDUX_FMAX, bits_of(-0.0f), bits_of(0.0f)), bits_of(0.0f));
    ck_assert_uint_eq(redux_fold(REDUX_FMIN, bits_of(NAN), bits_of(2.0f)), bits_of(2.0f));
    ck_assert_uint_eq(redux_fold(REDUX_FMAX_NAN, bits_of(NAN), bits_of(2.0f)), 0x7fffffff);
    ck_assert_uint_eq(redux_fold(REDUX_FMAX, bits_of(-3.0f), bits_of(2.0f)), bits_of(2.0f));
    ck_assert_uint_eq(redux_fold(REDUX_FMIN, bits_of(-3.0f), bits_of(2.0f)), bits_of(-3.0f));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("warpops");
    TCase *lanes = tcase_create("lanes");
    tcase_add_test(lanes, shuffle_up_keeps_the_first_lanes_of_each_segment);
    tcase_add_test(lanes, shuffle_down_keeps_the_last_lanes_of_each_segment);
    tcase_add_test(lanes, shuffle_xor_may_read_lower_segments_but_not_higher_ones);
    tcase_add_test(lanes, shuffle_idx_counts_within_the_segment_modulo_its_width);
    tcase_add_test(lanes, shuffle_idx_beyond_the_clamp_is_out_of_range);
    tcase_add_test(lanes, votes_see_members_only);
    tcase_add_test(lanes, matches_are_found_among_members_in_all_64_bits);
    tcase_add_test(lanes, reductions_fold_the_members);
    tcase_add_test(lanes, float_reductions_know_zeros_and_nans);
    suite_add_tcase(suite, lanes);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
