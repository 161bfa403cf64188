/* calendar.c - the list of changes behind a calendar, in order of time.
 * Neighbours differ in what is taken: operations that follow each other without a gap leave no trace of the seam.
 * The list has a fixed size: whoever books must look for room first. */
#include "runtime/calendar.h"

#include <string.h>

/* The first change after a time. Most questions are about late times: the search begins at the end. */
static size_t after(const struct calendar *calendar, picoseconds time)
{
    size_t i = calendar->count;
    while (i && calendar->changes[i - 1].time > time)
        i--;
    return i;
}

static struct parts taken_before(const struct calendar *calendar, size_t i)
{
    return i ? calendar->changes[i - 1].taken : (struct parts){0};
}

struct parts calendar_taken(const struct calendar *calendar, picoseconds time, picoseconds *until)
{
    size_t i = after(calendar, time);
    *until = i < calendar->count ? calendar->changes[i].time : CALENDAR_NEVER;
    return taken_before(calendar, i);
}

/* A change at exactly this time, made if need be; gives its index. */
static size_t split(struct calendar *calendar, picoseconds time)
{
    size_t i = after(calendar, time);
    if (i && calendar->changes[i - 1].time == time)
        return i - 1;
    memmove(&calendar->changes[i + 1], &calendar->changes[i],
            (calendar->count - i) * sizeof calendar->changes[0]);
    calendar->changes[i] = (struct change){time, taken_before(calendar, i)};
    calendar->count++;
    return i;
}

static void drop(struct calendar *calendar, size_t i, size_t count)
{
    calendar->count -= count;
    memmove(&calendar->changes[i], &calendar->changes[i + count],
            (calendar->count - i) * sizeof calendar->changes[0]);
}

static void join(struct calendar *calendar, size_t i)
{
    const struct parts before = taken_before(calendar, i);
    if (!memcmp(&calendar->changes[i].taken, &before, sizeof before))
        drop(calendar, i, 1);
}

static void add(struct parts *taken, const struct parts *more)
{
    for (int k = 0; k < CALENDAR_KINDS; k++)
        taken->of[k] = (uint16_t)(taken->of[k] + more->of[k]);
}

void calendar_take(struct calendar *calendar, picoseconds from, picoseconds to, struct parts parts)
{
    if (from >= to)
        return;
    size_t first = split(calendar, from), end = split(calendar, to);
    for (size_t i = first; i < end; i++)
        add(&calendar->changes[i].taken, &parts);
    join(calendar, end);
    join(calendar, first);
}

void calendar_forget(struct calendar *calendar, picoseconds before)
{
    size_t i = after(calendar, before);
    if (i > 1)
        drop(calendar, 0, i - 1);
    if (calendar->count == 1)
        calendar->count = 0;
}

bool calendar_has_room(const struct calendar *calendar)
{
    return calendar->count < CALENDAR_CHANGES / 2;
}
