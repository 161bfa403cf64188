/* test_list.c - lists that grow: what was pushed stays, in order, and nothing is lost without memory. */
#include "base/list.h"

#include <stdint.h>

#include "run.h"

START_TEST(items_stay_in_order_while_the_list_grows)
{
    struct list list = {0};
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t *item = list_push(&list, sizeof *item);
        ck_assert_ptr_nonnull(item);
        ck_assert_uint_eq(*item, 0);
        *item = i * i;
    }
    ck_assert_uint_eq(list.count, 10000);
    for (uint64_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(((uint64_t *)list.items)[i], i * i);
    list_free(&list);
    ck_assert_ptr_null(list.items);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_ptr_nonnull(list_push(&list, 3)); /* empty, and of use again */
    list_free(&list);
}
END_TEST

START_TEST(room_is_made_for_as_many_as_are_asked_for)
{
    size_t capacity = 0;
    char *bytes = list_reserve(NULL, &capacity, 1000, 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_ge(capacity, 1000);
    bytes[999] = 7;
    const size_t before = capacity;
    ck_assert_ptr_eq(list_reserve(bytes, &capacity, before, 1), bytes); /* there is room: nothing moves */
    bytes = list_reserve(bytes, &capacity, before + 1, 1);
    ck_assert_uint_ge(capacity, 2 * before);
    ck_assert_int_eq(bytes[999], 7);
    free(bytes);
}
END_TEST

START_TEST(what_cannot_be_had_changes_nothing)
{
    size_t capacity = 0;
    int *items = list_reserve(NULL, &capacity, 4, sizeof *items);
    const size_t before = capacity;
    items[3] = 5;
    ck_assert_ptr_null(list_reserve(items, &capacity, SIZE_MAX, sizeof *items));
    ck_assert_ptr_null(list_reserve(items, &capacity, SIZE_MAX / 4 + 1, sizeof *items));
    ck_assert_uint_eq(capacity, before);
    ck_assert_int_eq(items[3], 5);
    free(items);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("list");
    tcase_add_test(tests, items_stay_in_order_while_the_list_grows);
    tcase_add_test(tests, room_is_made_for_as_many_as_are_asked_for);
    tcase_add_test(tests, what_cannot_be_had_changes_nothing);
    return run_tests("list", tests);
}
