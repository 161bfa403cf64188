/* late.c - see late.h. */
#include "memory/late.h"

#include "memory/late_bytes.h"

/* ------------------------------------------------------------------------------------------- who has such bytes */

bool late_begin(struct allocation *a, vgpu_fill_fn *fill, void *context, int which)
{
    struct late *late = late_new(a->host, a->size, fill, context, which);
    if (!late)
        return false;
    late_free(a->late);
    a->late = late;
    return true;
}

bool late_begin_host(struct memory *memory, void *host, uint64_t size, vgpu_fill_fn *fill, void *context,
                     int which)
{
    struct late **hosts = memory_late_hosts(memory), *late = late_new(host, size, fill, context, which);
    if (!late)
        return false;
    late_end_host(memory, host);
    *late_next(late) = *hosts;
    *hosts = late;
    return true;
}

static struct late **find_host(struct memory *memory, const void *host)
{
    struct late **at = memory_late_hosts(memory);
    while (*at && !late_holds(*at, host))
        at = late_next(*at);
    return at;
}

void late_end_host(struct memory *memory, const void *host)
{
    struct late **at = find_host(memory, host), *late = *at;
    if (!late)
        return;
    *at = *late_next(late);
    late_free(late);
}

void late_register(struct memory *memory, struct allocation *registered)
{
    struct late *late = *find_host(memory, registered->host);
    if (late)
        registered->late = late_share(late);
    for (late = *memory_late_hosts(memory); late; late = *late_next(late))
        if (late != registered->late && late_lies_in(late, registered->host, registered->size))
            late_make_all(late);
}

static void look(struct allocation *a, void *context)
{
    *(bool *)context |= a->late != NULL;
}

bool late_is_used(const struct memory *memory)
{
    bool is_used = false;
    memory_each(memory, look, &is_used);
    return is_used;
}

/* ------------------------------------------------------------------------------------------- whoever comes to them */

bool late_make(struct allocation *a, uint64_t address, uint64_t bytes)
{
    return late_make_bytes(a->late, a->host + (address - a->base), bytes);
}

/* The one that holds the bytes at an address, and where they lie. */
static struct late *find(struct memory *memory, uint64_t address, uint8_t **bytes)
{
    const struct allocation *a = memory_find(memory, address);
    *bytes = a ? a->host + (address - a->base)
               : (uint8_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    return a ? a->late : *find_host(memory, *bytes);
}

void late_bring_at(struct memory *memory, uint64_t address, uint64_t count)
{
    uint8_t *bytes;
    struct late *late = find(memory, address, &bytes);
    if (late)
        late_make_bytes(late, bytes, count);
}

bool late_copy(struct memory *memory, const struct late_copy *copy)
{
    uint8_t *to_bytes, *from_bytes;
    struct late *to = find(memory, copy->to, &to_bytes), *from = find(memory, copy->from, &from_bytes);
    const struct late_rows rows = {to_bytes,         from_bytes,  copy->to_pitch,
                                   copy->from_pitch, copy->width, copy->height};
    return to && from && late_copy_rows(to, from, &rows);
}
