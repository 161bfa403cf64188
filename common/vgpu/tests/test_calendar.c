/* test_calendar.c - an engine's calendar against a plain array of moments.
 * Expected values come from counting moment by moment what was taken. What operations cost is not tested here. */
#include <stdlib.h>
#include <string.h>

#include "base/tests/run.h"
#include "runtime/calendar.h"

enum { MOMENTS = 400 };

static struct calendar calendar;
static struct parts moments[MOMENTS];

static void take_of(int kind, picoseconds from, picoseconds to, uint16_t count)
{
    struct parts parts = {0};
    parts.of[kind] = count;
    calendar_take(&calendar, from, to, parts);
    for (picoseconds t = from; t < to; t++)
        moments[t].of[kind] = (uint16_t)(moments[t].of[kind] + count);
}

static void take(picoseconds from, picoseconds to, uint16_t count)
{
    take_of(0, from, to, count);
}

static picoseconds next_change(picoseconds time)
{
    for (picoseconds t = time + 1; t < MOMENTS; t++)
        if (memcmp(&moments[t], &moments[time], sizeof moments[t]))
            return t;
    return CALENDAR_NEVER;
}

static void compare(picoseconds begin)
{
    for (picoseconds t = begin; t < MOMENTS; t++) {
        picoseconds until;
        const struct parts taken = calendar_taken(&calendar, t, &until);
        ck_assert_mem_eq(&taken, &moments[t], sizeof taken);
        ck_assert_uint_eq(until, next_change(t));
    }
}

START_TEST(an_empty_calendar_is_free_for_ever)
{
    compare(0);
    ck_assert_uint_eq(calendar.count, 0);
}
END_TEST

START_TEST(operations_without_a_gap_leave_no_seam)
{
    take(10, 20, CALENDAR_PARTS);
    take(20, 30, CALENDAR_PARTS);
    take(5, 10, CALENDAR_PARTS);
    ck_assert_uint_eq(calendar.count, 2);
    compare(0);
}
END_TEST

START_TEST(parts_add_up_where_operations_overlap)
{
    take(10, 40, 100);
    take(20, 30, 200);
    take(0, 25, 50);
    take(30, 40, 7);
    compare(0);
}
END_TEST

START_TEST(kinds_of_parts_are_counted_by_themselves)
{
    take_of(0, 10, 40, 100);
    take_of(1, 20, 50, 300);
    take_of(CALENDAR_KINDS - 1, 20, 40, CALENDAR_PARTS);
    compare(0);
    ck_assert_uint_eq(calendar.count, 4);
}
END_TEST

START_TEST(any_order_of_taking_gives_what_was_taken)
{
    uint32_t state = 12345;
    for (int i = 0; i < 300; i++) {
        state = state * 1664525 + 1013904223;
        picoseconds from = (state >> 8) % (MOMENTS - 20);
        take_of(state % CALENDAR_KINDS, from, from + (state >> 20) % 20, (uint16_t)(1 + state % 3));
    }
    compare(0);
    calendar_forget(&calendar, 150);
    compare(150);
}
END_TEST

START_TEST(forgetting_the_past_makes_room)
{
    for (picoseconds i = 0; calendar_has_room(&calendar); i++)
        calendar_take(&calendar, 4 * i, 4 * i + 2, (struct parts){.of = {1}});
    size_t full = calendar.count;
    calendar_forget(&calendar, calendar.changes[full / 2].time);
    ck_assert(calendar_has_room(&calendar));
    ck_assert_uint_le(calendar.count, full / 2 + 1);
    calendar_forget(&calendar, CALENDAR_NEVER);
    ck_assert_uint_eq(calendar.count, 0);
}
END_TEST

static void begin(void)
{
    calendar.count = 0;
    for (int i = 0; i < MOMENTS; i++)
        moments[i] = (struct parts){0};
}

int main(void)
{
    TCase *tests = tcase_create("calendar");
    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_add_test(tests, an_empty_calendar_is_free_for_ever);
    tcase_add_test(tests, operations_without_a_gap_leave_no_seam);
    tcase_add_test(tests, parts_add_up_where_operations_overlap);
    tcase_add_test(tests, kinds_of_parts_are_counted_by_themselves);
    tcase_add_test(tests, any_order_of_taking_gives_what_was_taken);
    tcase_add_test(tests, forgetting_the_past_makes_room);
    return run_tests("calendar", tests);
}
