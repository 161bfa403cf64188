/* areas.c - the allocations of a pass: where an address lies, and whether something that matters is read there later. */
#include <stdlib.h>

#include "feeds/inside.h"

bool is_live(const struct feeds *feeds, uint64_t serial)
{
    const uint64_t *live = feeds->live.items;
    for (size_t i = 0; !feeds->all_live && i < feeds->live.count; i++)
        if (live[i] == serial)
            return true;
    return feeds->all_live;
}

static bool add_serial(struct feeds *feeds, struct list *list, uint64_t serial)
{
    const uint64_t *known = list->items;
    for (size_t i = 0; i < list->count; i++)
        if (known[i] == serial)
            return false;
    uint64_t *place = list_push(list, sizeof *place);
    if (place)
        *place = serial;
    feeds->has_failed |= !place;
    return place != NULL;
}

/* A launch may read what another block of its own has written: it is remembered with the launch. */
void make_live(struct feeds *feeds, uint64_t serial)
{
    if (feeds->launch && add_serial(feeds, &feeds->launch->reads, serial))
        feeds->has_changed = true;
    add_serial(feeds, &feeds->live, serial);
}

void make_all_live(struct feeds *feeds)
{
    feeds->has_changed |= feeds->launch && !feeds->launch->reads_all;
    if (feeds->launch)
        feeds->launch->reads_all = true;
    feeds->all_live = true;
}

enum ptx_space feeds_space(const struct trail *trail, const struct insn *insn, uint64_t *address)
{
    if (insn->space != PTX_GENERIC)
        return (enum ptx_space)insn->space;
    if (*address - trail->shared_window < WINDOW_BYTES) {
        *address -= trail->shared_window;
        return PTX_SHARED;
    }
    if (*address - trail->local_window < WINDOW_BYTES) {
        *address -= trail->local_window;
        return PTX_LOCAL;
    }
    return PTX_GLOBAL;
}

const struct area *area_at(const struct kept_launch *launch, uint64_t address)
{
    uint32_t low = 0, high = launch->nareas;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (launch->areas[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < launch->nareas && launch->areas[low].base <= address ? &launch->areas[low] : NULL;
}

bool is_root(const struct feeds *feeds, const struct area *area)
{
    const struct feeds_roots *roots = feeds->roots;
    for (size_t i = 0; i < roots->count; i++)
        if (roots->addresses[i] - area->base < area->end - area->base)
            return true;
    return roots->all_global;
}
