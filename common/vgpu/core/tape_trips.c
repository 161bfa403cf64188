/* tape_trips.c - which round of which loop a step is in: see tape.h. Rounds are counted for each lane, because lanes that have parted
 * may go round by themselves. */
#include "base/list.h"
#include "core/access.h"
#include "core/loops.h"
#include "core/tape.h"
#include "core/warp.h"

static uint32_t add_visit(struct tape *tape, const struct tape_visit *visit)
{
    struct tape_visit *grown =
        list_reserve(tape->visits, &tape->visits_capacity, tape->nvisits + 2, sizeof *grown);
    if (!grown)
        return 0;
    tape->visits = grown;
    tape->nvisits += !tape->nvisits;
    grown[0] = (struct tape_visit){.function = NULL};
    grown[tape->nvisits] = *visit;
    return tape->nvisits++;
}

static uint32_t add_trip(struct tape *tape, const struct tape_trip *trip)
{
    struct tape_trip *grown =
        list_reserve(tape->trips, &tape->trips_capacity, tape->ntrips + 2, sizeof *grown);
    if (!grown || !trip->visit)
        return 0;
    tape->trips = grown;
    tape->ntrips += !tape->ntrips;
    grown[0] = (struct tape_trip){.visit = 0};
    grown[tape->ntrips] = *trip;
    return tape->ntrips++;
}

static bool is_within(const struct loops *loops, uint32_t innermost, uint32_t loop)
{
    while (innermost && innermost != loop)
        innermost = loops->list[innermost - 1].outer;
    return innermost != 0;
}

/* The round that lanes are still in: they have left calls and loops that the instruction is not in. */
static uint32_t still_in(const struct tape *tape, uint32_t trip, const struct function *function,
                         uint32_t innermost)
{
    while (trip) {
        const struct tape_visit *visit = &tape->visits[tape->trips[trip].visit];
        if (visit->depth < tape->depth || (visit->depth == tape->depth && visit->function == function &&
                                           is_within(function->loops, innermost, visit->loop)))
            break;
        trip = visit->outer;
    }
    return trip;
}

/* The next round of the loop that `trip` is in. Of the rounds behind it, one is now too far away from both ends. */
static uint32_t next_trip(struct tape *tape, uint32_t trip)
{
    const struct tape_level level = tape_level(tape);
    const uint32_t next = add_trip(tape, &(struct tape_trip){.visit = tape->trips[trip].visit,
                                                             .number = tape->trips[trip].number + 1,
                                                             .before = trip});
    if (!tape->level)
        return next;
    for (uint32_t i = 1; trip && i < level.last; i++)
        trip = tape->trips[trip].before;
    if (next && trip && tape->trips[trip].number > level.first && !tape->trips[trip].is_pinned)
        tape->trips[trip].is_dropped = true;
    return next;
}

/* How many rounds there were: those that were more than the test that ended them. */
static void note_body(struct tape *tape, uint32_t trip)
{
    while (trip && !tape->trips[trip].has_body) {
        struct tape_visit *visit = &tape->visits[tape->trips[trip].visit];
        tape->trips[trip].has_body = true;
        if (visit->trips < tape->trips[trip].number)
            visit->trips = tape->trips[trip].number;
        trip = visit->outer;
    }
}

static bool is_in_test(const struct tape *tape, uint32_t trip, const struct function *function, uint32_t code)
{
    const struct tape_visit *visit = &tape->visits[tape->trips[trip].visit];
    if (visit->depth != tape->depth)
        return false;
    const struct loop *loop = &function->loops->list[visit->loop - 1];
    return code >= loop->head && code < loop->test_end;
}

uint32_t tape_trip(struct tape *tape, const struct warp *warp, const struct function *function,
                   const struct insn *insn, uint32_t active)
{
    const struct loops *loops = function->loops;
    const uint32_t code = (uint32_t)(insn - function->code);
    const uint32_t innermost = loops ? loops->innermost[code] : 0;
    uint32_t *trips = tape->trip_of + (size_t)warp->index * LANES;
    if (!active)
        return 0;
    uint32_t trip = still_in(tape, trips[__builtin_ctz(active)], function, innermost);
    const struct tape_visit *visit = trip ? &tape->visits[tape->trips[trip].visit] : NULL;
    const bool is_in = visit && visit->depth == tape->depth && visit->loop == innermost;
    if (innermost && !is_in) {
        const struct tape_visit entered = {.function = function,
                                           .loop = innermost,
                                           .warp = warp->index,
                                           .depth = tape->depth,
                                           .outer = trip};
        trip = add_trip(tape, &(struct tape_trip){.visit = add_visit(tape, &entered), .number = 1});
    } else if (innermost && code == loops->list[innermost - 1].head) {
        trip = next_trip(tape, trip);
    }
    if (trip && !is_in_test(tape, trip, function, code))
        note_body(tape, trip);
    EACH_ACTIVE(lane, active)
    {
        trips[lane] = trip;
    }
    return trip;
}

void tape_pin(struct tape *tape, uint32_t trip)
{
    for (; trip; trip = tape->visits[tape->trips[trip].visit].outer)
        tape->trips[trip].is_pinned = true;
}
