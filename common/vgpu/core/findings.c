/* findings.c - lists of findings: a place is kept once and counted after that, in the order of finding.
 * Nothing is printed here, and nothing here knows what a kind is called. */
#include "core/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "core/places.h"
#include "core/warp.h"

enum { MAX_PLACES = 256 };

struct place {
    struct finding finding;
    uint64_t times;
};

struct findings {
    struct place *places;
    size_t count, capacity;
    uint64_t dropped; /* findings at places beyond MAX_PLACES */
};

struct findings *findings_new(void)
{
    return calloc(1, sizeof(struct findings));
}

void findings_free(struct findings *list)
{
    if (!list)
        return;
    free(list->places);
    free(list);
}

static bool is_same_place(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->loc == b->loc && a->other_loc == b->other_loc && a->space == b->space &&
           a->is_write == b->is_write;
}

static struct place *find_place(const struct findings *list, const struct finding *finding)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same_place(&list->places[i].finding, finding))
            return &list->places[i];
    return NULL;
}

static void count_repeat(struct place *place, const struct finding *finding, uint64_t times)
{
    struct finding *known = &place->finding;
    place->times += times;
    if (finding->address < known->address)
        known->address = finding->address;
    if (finding->last_address > known->last_address)
        known->last_address = finding->last_address;
}

bool findings_repeat(struct findings *list, const struct finding *finding)
{
    struct place *place = find_place(list, finding);
    if (place)
        count_repeat(place, finding, 1);
    return place != NULL;
}

bool findings_has(const struct findings *list, const struct finding *finding)
{
    return list && find_place(list, finding);
}

static bool make_room(struct findings *list)
{
    struct place *places = NULL;
    if (list->count < MAX_PLACES)
        places = list_reserve(list->places, &list->capacity, list->count + 1, sizeof *places);
    if (places)
        list->places = places;
    return places != NULL;
}

static void add_times(struct findings *list, const struct finding *finding, uint64_t times)
{
    struct place *place = find_place(list, finding);
    if (place)
        count_repeat(place, finding, times);
    else if (make_room(list))
        list->places[list->count++] = (struct place){*finding, times};
    else
        list->dropped += times;
}

void findings_add(struct findings *list, const struct finding *finding)
{
    if (list)
        add_times(list, finding, 1);
}

void findings_clear(struct findings *list)
{
    list->count = 0;
    list->dropped = 0;
}

bool findings_take(struct findings *list, bool (*is_wanted)(const struct finding *), struct finding *first)
{
    size_t kept = 0;
    bool is_found = false;
    for (size_t i = 0; i < list->count; i++) {
        if (!is_wanted(&list->places[i].finding)) {
            list->places[kept++] = list->places[i];
            continue;
        }
        if (!is_found)
            *first = list->places[i].finding;
        is_found = true;
    }
    list->count = kept;
    return is_found;
}

void findings_merge(struct findings *into, struct findings *from)
{
    if (!into || !from)
        return;
    for (size_t i = 0; i < from->count; i++)
        add_times(into, &from->places[i].finding, from->places[i].times);
    into->dropped += from->dropped;
    findings_clear(from);
}

size_t findings_count(const struct findings *list)
{
    return list ? list->count : 0;
}

const struct finding *findings_at(const struct findings *list, size_t i, uint64_t *times)
{
    *times = list->places[i].times;
    return &list->places[i].finding;
}

uint64_t findings_dropped(const struct findings *list)
{
    return list ? list->dropped : 0;
}

struct finding finding_of(const struct warp *warp, const struct insn *insn, int lane, enum vgpu_finding kind)
{
    struct finding finding; /* its texts are only begun: most findings repeat one that is known */
    memset(&finding, 0, offsetof(struct finding, array));
    finding.array[0] = finding.what[0] = finding.cause[0] = '\0';
    finding.near_cause = NULL;
    finding.near_bytes = 0;
    finding.kind = kind;
    finding.loc = insn->loc;
    finding.insn = insn->id;
    finding.block = sample_block(warp->block->launch, warp->block->index);
    finding.thread = thread_of(warp, lane);
    return finding;
}

void finding_add(struct warp *warp, const struct insn *insn, int lane, enum vgpu_finding kind,
                 const char *what, ...)
{
    struct finding finding = finding_of(warp, insn, lane, kind);
    if (!warp->block->findings || findings_repeat(warp->block->findings, &finding))
        return;
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(finding.what, sizeof finding.what, what, arguments);
    va_end(arguments);
    findings_add(warp->block->findings, &finding);
}
