/* names.c - names by hash.
 * A name table is a stack: dropping the newest names brings the hidden ones back.
 * Names point into the text or the arena and are never freed one by one. */
#include "ptx/names.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 256 };

static uint32_t bucket_of(const struct ptx_names *names, uint32_t hash)
{
    return (hash ^ hash >> 15) & (names->nbuckets - 1);
}

static void link_name(struct ptx_names *names, uint32_t index)
{
    uint32_t *bucket = &names->buckets[bucket_of(names, names->items[index].hash)];
    names->items[index].next = *bucket;
    *bucket = index + 1;
}

/* Relinks in the order of age, so that newer names stay in front. */
static bool grow_buckets(struct ptx_names *names)
{
    uint32_t nbuckets = names->nbuckets ? names->nbuckets * 2 : FIRST_BUCKETS;
    uint32_t *buckets = calloc(nbuckets, sizeof *buckets);
    if (!buckets)
        return false;
    free(names->buckets);
    names->buckets = buckets;
    names->nbuckets = nbuckets;
    for (uint32_t i = 0; i < names->count; i++)
        link_name(names, i);
    return true;
}

static bool grow_names(struct ptx_names *names)
{
    if (names->count >= names->nbuckets && !grow_buckets(names))
        return false;
    struct name *items = list_reserve(names->items, &names->capacity, names->count + 1, sizeof *items);
    if (items)
        names->items = items;
    return items != NULL;
}

struct name *names_add(struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                       enum name_kind kind, uint32_t scope)
{
    if (!grow_names(names))
        return NULL;
    struct name *name = &names->items[names->count];
    *name = (struct name){.text = text, .size = (uint32_t)size, .hash = hash, .kind = kind, .scope = scope};
    link_name(names, names->count++);
    return name;
}

struct name *names_find(const struct ptx_names *names, const char *text, size_t size, uint32_t hash,
                        bool is_range)
{
    if (!names->nbuckets)
        return NULL;
    for (uint32_t i = names->buckets[bucket_of(names, hash)]; i; i = names->items[i - 1].next) {
        struct name *name = &names->items[i - 1];
        if (name->hash == hash && name->size == size && (name->kind == NAME_RANGE) == is_range &&
            !memcmp(name->text, text, size))
            return name;
    }
    return NULL;
}

void names_drop(struct ptx_names *names, uint32_t count)
{
    while (names->count > count) {
        struct name *name = &names->items[--names->count];
        names->buckets[bucket_of(names, name->hash)] = name->next;
    }
}

void names_free(struct ptx_names *names)
{
    free(names->items);
    free(names->buckets);
    *names = (struct ptx_names){0};
}
