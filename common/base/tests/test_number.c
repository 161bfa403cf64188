/* test_number.c - small arithmetic and hashes. Hashes of text are the ones published with FNV-1a. */
#include "base/number.h"

#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "run.h"

START_TEST(the_smaller_and_the_larger_of_two)
{
    const double third = 1.0 / 3;
    int once = 0;
    ck_assert_int_eq(smaller_of(-1, 3), -1);
    ck_assert_int_eq(larger_of(-1, 3), 3);
    ck_assert_uint_eq(larger_of(UINT64_MAX, UINT64_C(1)), UINT64_MAX);
    ck_assert(smaller_of(third, 1) == third);
    ck_assert(larger_of((uint16_t)3, 2.5) == 3.0);
    ck_assert_int_eq(smaller_of(once++, 7), 0);
    ck_assert_int_eq(once, 1);                                         /* an argument is looked at once */
    ck_assert_int_eq(smaller_of(larger_of(1, 2), larger_of(3, 0)), 2); /* one within another */
}
END_TEST

START_TEST(rounding_up_to_units)
{
    for (uint64_t unit = 1; unit < 40; unit++)
        for (uint64_t value = 0; value < 200; value++) {
            uint64_t units = 0;
            while (units * unit < value)
                units++;
            ck_assert_uint_eq(divide_up(value, unit), units);
            ck_assert_uint_eq(round_up(value, unit), units * unit);
        }
    ck_assert_uint_eq(divide_up(UINT64_MAX, 2), UINT64_C(1) << 63);
}
END_TEST

START_TEST(numbers_of_a_file_have_their_lowest_byte_first)
{
    static const uint8_t bytes[] = {0xff, 1, 2, 3, 4, 5, 6, 7, 0x88};
    ck_assert_uint_eq(number_at(bytes, 0), 0);
    ck_assert_uint_eq(number_at(bytes, 1), 0xff);
    ck_assert_uint_eq(number_at(bytes + 1, 2), 0x0201);
    ck_assert_uint_eq(number_at(bytes + 1, 4), 0x04030201);
    ck_assert_uint_eq(number_at(bytes + 1, 8), UINT64_C(0x8807060504030201));
}
END_TEST

START_TEST(texts_have_the_published_hashes)
{
    /* http://www.isthe.com/chongo/tech/comp/fnv: test vectors of FNV-1a, 32 and 64 bits */
    static const struct {
        const char *text;
        uint32_t hash;
        uint64_t long_hash;
    } rows[] = {{"", 0x811c9dc5, 0xcbf29ce484222325},
                {"a", 0xe40c292c, 0xaf63dc4c8601ec8c},
                {"b", 0xe70c2de5, 0xaf63df4c8601f1a5},
                {"foobar", 0xbf9cf968, 0x85944171f73967e8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_uint_eq(hash_text(rows[i].text, strlen(rows[i].text)), rows[i].hash);
        ck_assert_uint_eq(hash_bytes(rows[i].text, strlen(rows[i].text)), rows[i].long_hash);
        uint32_t hash = HASH_START;
        for (const char *at = rows[i].text; *at; at++)
            hash = hash_byte(hash, (uint8_t)*at);
        ck_assert_uint_eq(hash, rows[i].hash);
    }
}
END_TEST

/* A table of 256 places for 256 neighbours, or for addresses a line apart: at least half of the places are used. */
START_TEST(neighbours_get_places_far_apart)
{
    for (uint64_t stride = 1; stride <= 4096; stride *= 2) {
        bool is_taken[256] = {false};
        bool is_taken32[256] = {false};
        int places = 0, places32 = 0;
        for (uint64_t i = 0; i < 256; i++) {
            const uint64_t at = hash_word(i * stride) >> 56;
            const uint32_t at32 = hash_word32((uint32_t)(i * stride)) >> 24;
            places += !is_taken[at];
            places32 += !is_taken32[at32];
            is_taken[at] = is_taken32[at32] = true;
        }
        ck_assert_int_ge(places, 128);
        ck_assert_int_ge(places32, 128);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("number");
    tcase_add_test(tests, the_smaller_and_the_larger_of_two);
    tcase_add_test(tests, rounding_up_to_units);
    tcase_add_test(tests, numbers_of_a_file_have_their_lowest_byte_first);
    tcase_add_test(tests, texts_have_the_published_hashes);
    tcase_add_test(tests, neighbours_get_places_far_apart);
    return run_tests("number", tests);
}
