/* footprint.c - see footprint.h. Two lists are compared in one walk through both. */
#include "memory/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/number.h"

/* Of one list: 4 MB. Only kernels that reach for single words all over a large array have so many. */
enum { MAX_RANGES = 1 << 18 };

/* ------------------------------------------------------------------------------------------- lists */

static void add(struct ranges *ranges, uint64_t begin, uint64_t end)
{
    struct range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && begin >= last->begin && begin <= last->end) {
        last->end = larger_of(last->end, end);
        return;
    }
    struct range *items = ranges->count < MAX_RANGES ? list_reserve(ranges->items, &ranges->capacity,
                                                                    ranges->count + 1, sizeof *items)
                                                     : NULL;
    if (!items)
        return;
    ranges->items = items;
    ranges->items[ranges->count++] = (struct range){begin, end};
}

static int by_begin(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool is_sorted(const struct ranges *ranges)
{
    for (size_t i = 1; i < ranges->count; i++)
        if (ranges->items[i].begin <= ranges->items[i - 1].end)
            return false;
    return true;
}

static void sort(struct ranges *ranges)
{
    const size_t count = ranges->count;
    if (is_sorted(ranges))
        return;
    qsort(ranges->items, count, sizeof *ranges->items, by_begin);
    ranges->count = 0;
    for (size_t i = 0; i < count; i++)
        add(ranges, ranges->items[i].begin, ranges->items[i].end);
}

/* The first bytes that both have. */
static bool have_common(const struct ranges *a, const struct ranges *b, struct range *common)
{
    size_t i = 0, j = 0;
    if (!a->count || !b->count || a->items[a->count - 1].end <= b->items[0].begin ||
        b->items[b->count - 1].end <= a->items[0].begin)
        return false;
    while (i < a->count && j < b->count) {
        const struct range *x = &a->items[i], *y = &b->items[j];
        if (x->begin < y->end && y->begin < x->end) {
            *common = (struct range){larger_of(x->begin, y->begin), smaller_of(x->end, y->end)};
            return true;
        }
        if (x->end <= y->begin)
            i++;
        else
            j++;
    }
    return false;
}

static bool are_same(const struct ranges *a, const struct ranges *b)
{
    return a->count == b->count &&
           (!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

/* ------------------------------------------------------------------------------------------- footprints */

void footprint_add(struct footprint *footprint, enum use use, uint64_t begin, uint64_t end)
{
    if (begin < end)
        add(&footprint->of[use], begin, end);
}

void footprint_close(struct footprint *footprint)
{
    for (int use = 0; use < USES; use++)
        sort(&footprint->of[use]);
}

void footprint_free(struct footprint *footprint)
{
    for (int use = 0; use < USES; use++)
        free(footprint->of[use].items);
    *footprint = (struct footprint){0};
}

size_t footprint_size(const struct footprint *footprint)
{
    size_t size = 0;
    for (int use = 0; use < USES; use++)
        size += footprint->of[use].count;
    return size;
}

bool footprint_is_empty(const struct footprint *footprint)
{
    return footprint_size(footprint) == 0;
}

bool footprint_is_same(const struct footprint *a, const struct footprint *b)
{
    for (int use = 0; use < USES; use++)
        if (!are_same(&a->of[use], &b->of[use]))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------- two of them */

static const bool disturbs[USES][USES] = {
    [USE_READ] = {[USE_WRITE] = true, [USE_ATOMIC] = true},
    [USE_WRITE] = {[USE_READ] = true, [USE_WRITE] = true, [USE_ATOMIC] = true},
    [USE_ATOMIC] = {[USE_READ] = true, [USE_WRITE] = true},
};

bool footprints_conflict(const struct footprint *a, const struct footprint *b, struct conflict *found)
{
    bool is_found = false;
    for (int x = 0; x < USES; x++)
        for (int y = 0; y < USES; y++) {
            struct range place;
            if (!disturbs[x][y] || !have_common(&a->of[x], &b->of[y], &place) ||
                (is_found && found->place.begin <= place.begin))
                continue;
            *found = (struct conflict){place, (enum use)x, (enum use)y};
            is_found = true;
        }
    return is_found;
}

static const bool may_tell[USES][USES] = {
    [USE_FLAG] = {[USE_FLAG] = true, [USE_ATOMIC] = true, [USE_WRITE] = true},
    [USE_ATOMIC] = {[USE_FLAG] = true, [USE_ATOMIC] = true, [USE_WRITE] = true},
    [USE_WRITE] = {[USE_FLAG] = true, [USE_ATOMIC] = true},
};

bool footprints_share_flag(const struct footprint *a, const struct footprint *b)
{
    struct range place;
    for (int x = 0; x < USES; x++)
        for (int y = 0; y < USES; y++)
            if (may_tell[x][y] && have_common(&a->of[x], &b->of[y], &place))
                return true;
    return false;
}
