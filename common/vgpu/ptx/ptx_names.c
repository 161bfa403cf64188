/* ptx_names.c - the parser's containers: names by hash, growing lists, strings kept once.
 * A name table is a stack: dropping the newest names brings the hidden ones back.
 * Names point into the text or the arena and are never freed one by one. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 256, FIRST_ITEMS = 16 };

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
    if (names->count < names->capacity)
        return true;
    uint32_t capacity = names->capacity ? names->capacity * 2 : FIRST_ITEMS;
    struct name *items = realloc(names->items, capacity * sizeof *items);
    if (!items)
        return false;
    names->items = items;
    names->capacity = capacity;
    return true;
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

void *reader_alloc(struct reader *reader, size_t size)
{
    void *memory = arena_alloc(reader->arena, size);
    if (!memory)
        fail_memory(reader);
    return memory;
}

void *list_push(struct reader *reader, struct list *list, size_t item_size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : FIRST_ITEMS;
        void *items = realloc(list->items, capacity * item_size);
        if (!items) {
            fail_memory(reader);
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->count++ * item_size;
    memset(item, 0, item_size);
    return item;
}

/* A copy of the items from first on, in the arena; NULL if there are none. */
void *list_keep(struct reader *reader, const struct list *list, size_t first, size_t item_size)
{
    if (first >= list->count)
        return NULL;
    size_t size = (list->count - first) * item_size;
    void *copy = reader_alloc(reader, size);
    if (copy)
        memcpy(copy, (char *)list->items + first * item_size, size);
    return copy;
}

void list_free(struct list *list)
{
    free(list->items);
    *list = (struct list){0};
}

const char *reader_text(struct reader *reader, const char *text, size_t size, uint32_t hash)
{
    struct name *name = names_find(&reader->texts, text, size, hash, false);
    if (name)
        return name->item;
    char *copy = arena_copy_text(reader->arena, text, size);
    name = copy ? names_add(&reader->texts, copy, size, hash, NAME_TEXT, 0) : NULL;
    if (!name) {
        fail_memory(reader);
        return "";
    }
    name->item = copy;
    return copy;
}
